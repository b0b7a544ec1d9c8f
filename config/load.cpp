#include "config/load.hpp"

#include "base/files.hpp"
#include "config/consistency.hpp"
#include "config/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace sluice::config {
namespace {

// A configuration has some dozen lines; a file beyond this is another file.
constexpr std::size_t largest_file = std::size_t{1} << 20U;

reading read_file_at(const std::string& path) {
    const auto text = read_file(path, largest_file);
    if (text) return read_yaml(*text, path);
    return unreadable(text.error().message + "; check --config");
}

class merger {
public:
    void take(const reading& r) {
        problems_.insert(problems_.end(), r.problems.begin(), r.problems.end());
        result_.warnings.insert(result_.warnings.end(), r.warnings.begin(), r.warnings.end());
        for (const auto* s : r.unread) wrong_.insert(s->path);
        for (const auto& a : r.assignments) {
            if (const auto assigned = assign(*a.what, result_.values, a.written); !assigned) {
                wrong_.insert(a.what->path);
                problems_.push_back(
                    fmt::format("{}: {}: {}", a.origin, a.what->path, assigned.error().message)
                );
            }
            result_.origins.insert_or_assign(std::string{a.what->path}, a.origin);
        }
    }

    result<loaded> finish() && {
        for (const auto& c : contradictions(result_.values)) {
            // What follows from a value that is wrong by itself is noise.
            const auto is_wrong = [&](std::string_view path) { return wrong_.contains(path); };
            if (std::ranges::any_of(c.between, is_wrong)) continue;
            problems_.push_back(place_of(c) + c.problem);
        }
        if (problems_.empty()) return std::move(result_);
        return error{errc::invalid_argument, fmt::format("{}", fmt::join(problems_, "\n"))};
    }

private:
    // Of the first that was set; the defaults do not contradict each other.
    [[nodiscard]] std::string place_of(const contradiction& c) const {
        for (const auto path : c.between) {
            const auto found = result_.origins.find(path);
            if (found != result_.origins.end()) return found->second + ": ";
        }
        return {};
    }

    loaded result_;
    std::set<std::string_view> wrong_; // paths
    std::vector<std::string> problems_;
};

} // namespace

result<loaded> load(const inputs& in) {
    merger m;
    if (!in.file.empty()) m.take(read_file_at(in.file));
    m.take(read_environment(in.environment));
    m.take(read_flags(in.flags));
    return std::move(m).finish();
}

} // namespace sluice::config
