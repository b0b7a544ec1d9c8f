#include "server/connection_limiter.hpp"

#include "net/address.hpp"

namespace sluice::server {

connection_limiter::verdict connection_limiter::enter(const boost::asio::ip::address& peer) {
    const auto key = net::client_key(peer);
    std::size_t from_address = 0;
    {
        const std::lock_guard lock(mutex_);
        from_address = ++by_address_[key];
    }
    const std::size_t open = open_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (open > most_) return verdict::too_many;
    if (from_address > most_per_address_) return verdict::too_many_from_address;
    return verdict::admitted;
}

void connection_limiter::leave(const boost::asio::ip::address& peer) {
    open_.fetch_sub(1, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    const auto found = by_address_.find(net::client_key(peer));
    if (found != by_address_.end() && --found->second == 0) by_address_.erase(found);
}

} // namespace sluice::server
