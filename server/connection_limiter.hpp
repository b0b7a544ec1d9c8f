#pragma once

#include <boost/asio/ip/address.hpp>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <unordered_map>

namespace sluice::server {

// Counts open connections, in all and by client address.
class connection_limiter {
public:
    connection_limiter(std::size_t most, std::size_t most_per_address)
        : most_(most), most_per_address_(most_per_address) {}

    enum class verdict { admitted, too_many, too_many_from_address };
    // Every connection is counted, also one that is told to go; each enter() has its leave().
    [[nodiscard]] verdict enter(const boost::asio::ip::address& peer);
    void leave(const boost::asio::ip::address& peer);
    [[nodiscard]] std::size_t open() const noexcept {
        return open_.load(std::memory_order_relaxed);
    }

private:
    std::size_t most_;
    std::size_t most_per_address_;
    std::atomic<std::size_t> open_{0};
    std::mutex mutex_;
    std::unordered_map<boost::asio::ip::address, std::size_t> by_address_;
};

} // namespace sluice::server
