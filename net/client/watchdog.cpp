#include "net/client/watchdog.hpp"

#include <utility>

namespace sluice::net::client {

void watch_list::stop() {
    stopped_ = true;
    for (const auto& wait : waits_) {
        wait->over = true;
        if (auto interrupt = std::exchange(wait->interrupt, nullptr)) interrupt();
    }
}

watchdog::watchdog(watch_list& list, steady::time_point until, std::function<void()> interrupt)
    : list_(list), watched_(std::make_shared<watch_list::watched>()),
      place_(list.waits_.insert(list.waits_.end(), watched_)), timer_(list.loop()) {
    watched_->over = list.stopped() || until <= steady::now();
    if (watched_->over) return;
    watched_->interrupt = std::move(interrupt);
    timer_.expires_at(until);
    timer_.async_wait([wait = watched_](const boost::system::error_code& cancelled) {
        if (cancelled || !wait->interrupt) return;
        wait->over = true;
        std::exchange(wait->interrupt, nullptr)();
    });
}

watchdog::~watchdog() {
    watched_->interrupt = nullptr;
    list_.waits_.erase(place_);
}

} // namespace sluice::net::client
