#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <map>
#include <memory>
#include <string>

namespace sluice::promotion {

// One at a time for each name: a repository's cache has one user. On one loop only.
class lane_locks {
    struct place {
        explicit place(boost::asio::io_context& loop)
            : freed(loop, boost::asio::steady_timer::time_point::max()) {}
        boost::asio::steady_timer freed;
        bool taken = false;
    };

public:
    explicit lane_locks(boost::asio::io_context& loop) : loop_(loop) {}

    class held {
    public:
        held() = default;
        explicit held(std::shared_ptr<place> p) : place_(std::move(p)) { place_->taken = true; }
        held(held&&) noexcept = default;
        held& operator=(held&& other) noexcept {
            release();
            place_ = std::move(other.place_);
            return *this;
        }
        ~held() { release(); }

    private:
        void release() noexcept {
            if (!place_) return;
            place_->taken = false;
            place_->freed.cancel();
            place_.reset();
        }
        std::shared_ptr<place> place_;
    };

    [[nodiscard]] boost::asio::awaitable<held> hold(std::string name);

private:
    boost::asio::io_context& loop_;
    std::map<std::string, std::weak_ptr<place>, std::less<>> places_;
};

} // namespace sluice::promotion
