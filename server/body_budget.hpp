#pragma once

#include <atomic>
#include <cstddef>

namespace sluice::server {

// Bytes of requests in memory, over all connections.
class body_budget {
public:
    explicit body_budget(std::size_t most) noexcept : most_(most) {}
    [[nodiscard]] std::size_t used() const noexcept {
        return used_.load(std::memory_order_relaxed);
    }

private:
    friend class body_lease;
    std::size_t most_;
    std::atomic<std::size_t> used_{0};
};

// The share of one head or body, given back when it ends.
class body_lease {
public:
    explicit body_lease(body_budget& budget) noexcept : budget_(budget) {}
    body_lease(const body_lease&) = delete;
    body_lease& operator=(const body_lease&) = delete;
    ~body_lease() { give_back(); }

    // False, and nothing taken, when the budget does not have `bytes` more.
    [[nodiscard]] bool take(std::size_t bytes) noexcept {
        const std::size_t before = budget_.used_.fetch_add(bytes, std::memory_order_relaxed);
        if (bytes > budget_.most_ || before > budget_.most_ - bytes) {
            budget_.used_.fetch_sub(bytes, std::memory_order_relaxed);
            return false;
        }
        held_ += bytes;
        return true;
    }
    void give_back() noexcept {
        if (held_ != 0) budget_.used_.fetch_sub(held_, std::memory_order_relaxed);
        held_ = 0;
    }

private:
    body_budget& budget_;
    std::size_t held_ = 0;
};

} // namespace sluice::server
