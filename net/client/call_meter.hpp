#pragma once

#include "base/error.hpp"
#include "net/client/watchdog.hpp"
#include "observe/metrics.hpp"

#include <string>

namespace sluice::net::client {

// Counts one call and times it, when it ends or is dropped.
class call_meter {
public:
    call_meter(observe::registry& metrics, std::string peer)
        : metrics_(metrics), peer_(std::move(peer)), started_(steady::now()) {}
    ~call_meter();
    call_meter(const call_meter&) = delete;
    call_meter& operator=(const call_meter&) = delete;

    void answered(int status);
    // The last word: an answer that breaks off is an error.
    void failed(errc why) { outcome_ = to_string(why); }

private:
    observe::registry& metrics_;
    std::string peer_;
    steady::time_point started_;
    std::string outcome_ = "dropped";
};

} // namespace sluice::net::client
