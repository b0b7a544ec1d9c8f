#include "observe/metrics.hpp"

#include "observe/exposition.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <stdexcept>
#include <variant>

namespace sluice::observe {

histogram::histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)),
      counts_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1)) {
    if (!std::ranges::is_sorted(bounds_, std::ranges::less_equal{})) {
        throw std::logic_error("histogram bounds must rise");
    }
}

void histogram::observe(double v) noexcept {
    if (std::isnan(v)) return;
    const auto at = std::ranges::lower_bound(bounds_, v) - bounds_.begin();
    counts_[static_cast<std::size_t>(at)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(v, std::memory_order_relaxed);
}

histogram::snapshot histogram::read() const {
    snapshot now;
    now.cumulative.reserve(bounds_.size() + 1);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i <= bounds_.size(); ++i) {
        total += counts_[i].load(std::memory_order_relaxed);
        now.cumulative.push_back(total);
    }
    now.sum = sum_.load(std::memory_order_relaxed);
    return now;
}

std::vector<double> latency_bounds() {
    return {
        0.0001,
        0.00025,
        0.0005,
        0.001,
        0.0025,
        0.005,
        0.01,
        0.025,
        0.05,
        0.1,
        0.25,
        0.5,
        1,
        2.5,
        5,
        10
    };
}

namespace {

using read_gauge = std::function<double()>;
// Behind pointers: series never move, so references to them stay valid.
using series = std::variant<
    std::unique_ptr<counter>,
    std::unique_ptr<gauge>,
    std::unique_ptr<histogram>,
    std::unique_ptr<read_gauge>>;

struct family {
    std::string help;
    std::string_view type;
    std::map<labels, series>
        all; // ordered, so that two scrapes list the same series in the same order
};

void render(exposition& out, std::string_view name, const labels& l, const series& s) {
    if (const auto* c = std::get_if<std::unique_ptr<counter>>(&s)) {
        out.sample(name, l, (*c)->value());
    } else if (const auto* g = std::get_if<std::unique_ptr<gauge>>(&s)) {
        out.sample(name, l, (*g)->value());
    } else if (const auto* f = std::get_if<std::unique_ptr<read_gauge>>(&s)) {
        out.sample(name, l, (**f)());
    } else {
        const auto& h = *std::get<std::unique_ptr<histogram>>(s);
        out.histogram(name, l, h.bounds(), h.read());
    }
}

std::logic_error two_types(std::string_view name) {
    return std::logic_error("metric " + std::string{name} + " is registered as two types");
}

} // namespace

struct registry::impl {
    // Finds the series or makes it. A name used as two types is a bug.
    template <class T, class Make>
    T& series_of(
        std::string_view name, std::string_view help, std::string_view type, labels l, Make make
    ) {
        std::ranges::sort(l);
        require_valid_names(name, l);
        const std::lock_guard lock{mutex};
        auto known = families.find(name);
        if (known != families.end() && known->second.type != type) throw two_types(name);
        if (known == families.end() || !known->second.all.contains(l)) {
            auto made = make(); // may refuse, so before anything is kept
            known =
                families.try_emplace(std::string{name}, family{std::string{help}, type, {}}).first;
            known->second.all.emplace(l, std::move(made));
        }
        auto* typed = std::get_if<std::unique_ptr<T>>(&known->second.all.at(l));
        if (typed == nullptr) throw two_types(name);
        return **typed;
    }

    mutable std::mutex mutex;
    std::map<std::string, family, std::less<>> families;
};

registry::registry() : impl_(std::make_unique<impl>()) {}
registry::~registry() = default;

counter& registry::counter(std::string_view name, std::string_view help, labels l) {
    const auto make = [] { return std::make_unique<observe::counter>(); };
    return impl_->series_of<observe::counter>(name, help, "counter", std::move(l), make);
}

gauge& registry::gauge(std::string_view name, std::string_view help, labels l) {
    const auto make = [] { return std::make_unique<observe::gauge>(); };
    return impl_->series_of<observe::gauge>(name, help, "gauge", std::move(l), make);
}

histogram& registry::histogram(
    std::string_view name, std::string_view help, std::vector<double> bounds, labels l
) {
    const auto make = [&] { return std::make_unique<observe::histogram>(bounds); };
    return impl_->series_of<observe::histogram>(name, help, "histogram", std::move(l), make);
}

void registry::gauge_of(
    std::string_view name, std::string_view help, labels l, std::function<double()> read
) {
    bool made = false;
    const auto make = [&] {
        made = true;
        return std::make_unique<read_gauge>(std::move(read));
    };
    impl_->series_of<read_gauge>(name, help, "gauge", std::move(l), make);
    if (!made) throw std::logic_error("metric " + std::string{name} + " is registered twice");
}

std::string registry::text() const {
    struct listed {
        std::string_view name;
        const family* of;
        std::vector<std::pair<const labels*, const series*>> all;
    };
    // Listed under the lock, read without it: what a gauge_of reads may take locks of its own.
    std::vector<listed> everything;
    {
        const std::lock_guard lock{impl_->mutex};
        for (const auto& [name, f] : impl_->families) {
            auto& entry = everything.emplace_back(listed{name, &f, {}});
            for (const auto& [l, s] : f.all) entry.all.emplace_back(&l, &s);
        }
    }
    exposition out;
    for (const auto& entry : everything) {
        out.family(entry.name, entry.of->help, entry.of->type);
        for (const auto& [l, s] : entry.all) render(out, entry.name, *l, *s);
    }
    return std::move(out).text();
}

} // namespace sluice::observe
