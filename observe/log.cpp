#include "observe/log.hpp"

#include "base/clock.hpp"
#include "observe/line_sinks.hpp"
#include "observe/log_line.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/dist_sink.h>

#include <atomic>
#include <memory>

namespace sluice::log {
namespace {

// About ten thousand lines: minutes of a busy server, should whoever reads stderr be away.
constexpr std::size_t queue_bytes = std::size_t{4} * 1024 * 1024;

std::atomic<format> chosen_format{format::text};
std::atomic<std::uint64_t> dropped_lines{0};

spdlog::level::level_enum to_spdlog(level l) noexcept {
    switch (l) {
    case level::debug: return spdlog::level::debug;
    case level::info: return spdlog::level::info;
    case level::warn: return spdlog::level::warn;
    case level::error: return spdlog::level::err;
    }
    return spdlog::level::err;
}

// Lines are made by us, since spdlog has no fields; levels and sinks are spdlog's.
struct output {
    std::shared_ptr<spdlog::sinks::dist_sink_mt> sink =
        std::make_shared<spdlog::sinks::dist_sink_mt>();
    spdlog::logger logger{"sluice", sink};

    output() {
        sink->set_sinks({std::make_shared<direct_sink>()});
        logger.set_level(spdlog::level::info);
    }
};

output& out() {
    static output o;
    return o;
}

std::string line(level l, std::string_view message, fields f) {
    return format_line(
        chosen_format.load(std::memory_order_relaxed), system_clock{}.now(), l, message, f
    );
}

std::string lost_line(std::uint64_t count) {
    return line(
        level::warn,
        "log lines were dropped: whoever reads stderr is too slow",
        {{"dropped", count}}
    );
}

} // namespace

void start(log::format f, log::level least) {
    chosen_format = f;
    out().logger.set_level(to_spdlog(least));
    out().sink->set_sinks({std::make_shared<queue_sink>(queue_bytes, lost_line, dropped_lines)});
}

void stop() {
    // The queue is emptied when its sink goes; until then lines written meanwhile go to stderr directly.
    auto ending = out().sink->sinks();
    out().sink->set_sinks({std::make_shared<direct_sink>()});
}

bool enabled(level l) noexcept {
    return out().logger.should_log(to_spdlog(l));
}

std::uint64_t dropped() noexcept {
    return dropped_lines.load(std::memory_order_relaxed);
}

void write(level l, std::string_view message, fields f) {
    if (!enabled(l)) return;
    const auto text = line(l, message, f);
    out().logger.log(to_spdlog(l), spdlog::string_view_t{text.data(), text.size()});
}

} // namespace sluice::log
