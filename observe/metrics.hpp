#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Counters, gauges and histograms in the Prometheus text format. References stay valid as long as the registry.
namespace sluice::observe {

using labels = std::vector<std::pair<std::string, std::string>>;

class counter {
public:
    void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t value() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

class gauge {
public:
    void set(double v) noexcept { value_.store(v, std::memory_order_relaxed); }
    void add(double v) noexcept { value_.fetch_add(v, std::memory_order_relaxed); }
    [[nodiscard]] double value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<double> value_{0};
};

class histogram {
public:
    explicit histogram(std::vector<double> bounds);
    void observe(double v) noexcept;

    struct snapshot {
        std::vector<std::uint64_t> cumulative; // one per bound, then +Inf
        double sum = 0;
    };
    [[nodiscard]] snapshot read() const;
    [[nodiscard]] const std::vector<double>& bounds() const noexcept { return bounds_; }

private:
    std::vector<double> bounds_;
    std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;
    std::atomic<double> sum_{0};
};

// From 100 us to 10 s: request and commit latencies.
[[nodiscard]] std::vector<double> latency_bounds();

class registry {
public:
    registry();
    ~registry();
    registry(const registry&) = delete;
    registry& operator=(const registry&) = delete;

    // The same name and labels give the same series. Names are ours ("sluice_…"), never input.
    [[nodiscard]] observe::counter&
    counter(std::string_view name, std::string_view help, labels l = {});
    [[nodiscard]] observe::gauge&
    gauge(std::string_view name, std::string_view help, labels l = {});
    [[nodiscard]] observe::histogram& histogram(
        std::string_view name, std::string_view help, std::vector<double> bounds, labels l = {}
    );
    // A gauge read at scrape time.
    void
    gauge_of(std::string_view name, std::string_view help, labels l, std::function<double()> read);

    [[nodiscard]] std::string text() const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

} // namespace sluice::observe
