#pragma once

#include "base/result.hpp"
#include "net/client/watchdog.hpp"
#include "net/http_client.hpp"

#include <string>

namespace sluice::net::client {

// The deadlines of one call: how long the next wait may take, and what to say when it took longer.
class call_clock {
public:
    call_clock(watch_list& waits, http_deadlines allowed, std::string host)
        : waits_(waits), allowed_(allowed), host_(std::move(host)), started_(steady::now()) {}

    // `waiting_for` is told when the connection does not come in time: "the TLS handshake".
    void connecting(std::string waiting_for);
    void talking() noexcept { connecting_ = false; }

    [[nodiscard]] steady::time_point until() const;
    // Why a wait was ended before its time: a deadline, or the client's stop.
    [[nodiscard]] error over() const;
    [[nodiscard]] watch_list& waits() const noexcept { return waits_; }
    [[nodiscard]] const std::string& host() const noexcept { return host_; }
    [[nodiscard]] steady::time_point started() const noexcept { return started_; }

private:
    watch_list& waits_;
    http_deadlines allowed_;
    std::string host_; // as errors name it
    steady::time_point started_;
    steady::time_point connect_began_;
    std::string waiting_for_;
    bool connecting_ = false;
};

} // namespace sluice::net::client
