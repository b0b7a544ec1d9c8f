#include "embedded/answer.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace sluice::embedded {
namespace {

// Hands over one after the other. What throws leaves the loop as any handler's exception would; the rest comes after it.
class round {
public:
    explicit round(std::vector<delivery_ptr> values) : values_(std::move(values)) {}

    void operator()() {
        while (next_ < values_.size()) {
            const auto value = std::move(values_[next_++]);
            try {
                value->hand_over();
            } catch (...) {
                const auto executor = value->executor;
                boost::asio::post(executor, std::move(*this));
                throw;
            }
        }
    }

private:
    std::vector<delivery_ptr> values_;
    std::size_t next_ = 0;
};

} // namespace

void deliver(std::vector<delivery_ptr> values) {
    std::vector<std::pair<boost::asio::any_io_executor, std::vector<delivery_ptr>>>
        rounds; // one per loop: few
    for (auto& value : values) {
        const auto same = [&](const auto& r) { return r.first == value->executor; };
        auto found = std::ranges::find_if(rounds, same);
        if (found == rounds.end()) {
            rounds.emplace_back(value->executor, std::vector<delivery_ptr>{});
            found = std::prev(rounds.end());
        }
        found->second.push_back(std::move(value));
    }
    for (auto& [executor, mine] : rounds) boost::asio::post(executor, round{std::move(mine)});
}

} // namespace sluice::embedded
