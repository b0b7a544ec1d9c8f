#include "net/client/call_clock.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::net::client {

namespace {

std::string in_words(std::chrono::milliseconds d) {
    if (d.count() % 1000 == 0) return fmt::format("{} s", d.count() / 1000);
    return fmt::format("{} ms", d.count());
}

} // namespace

void call_clock::connecting(std::string waiting_for) {
    if (!connecting_) connect_began_ = steady::now();
    connecting_ = true;
    waiting_for_ = std::move(waiting_for);
}

steady::time_point call_clock::until() const {
    const auto end = started_ + allowed_.total;
    if (connecting_) return std::min(end, connect_began_ + allowed_.connect);
    return std::min(end, steady::now() + allowed_.silence);
}

error call_clock::over() const {
    if (waits_.stopped()) {
        return {errc::unavailable, fmt::format("the call to {} was ended: stopping", host_)};
    }
    if (steady::now() >= started_ + allowed_.total) {
        const auto limit = in_words(allowed_.total);
        return {errc::timed_out, fmt::format("{} was not done within {} in all", host_, limit)};
    }
    if (connecting_) {
        const auto limit = in_words(allowed_.connect);
        return {
            errc::timed_out,
            fmt::format("no connection to {} within {}: waited for {}", host_, limit, waiting_for_)
        };
    }
    return {
        errc::timed_out, fmt::format("no byte from {} for {}", host_, in_words(allowed_.silence))
    };
}

} // namespace sluice::net::client
