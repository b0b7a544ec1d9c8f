#include "base/failpoint.hpp"

#ifdef SLUICE_WITH_FAILPOINTS

#include "base/duration.hpp"

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <thread>

namespace sluice {
namespace {

struct action {
    explicit action(std::string_view text) : what(text) {}
    std::string what;
    std::atomic<int> passed{0};
};
using actions = std::map<std::string, action, std::less<>>;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

actions parse(std::string_view text) {
    actions parsed;
    while (!text.empty()) {
        const auto end = text.find(';');
        const auto entry = trimmed(text.substr(0, end));
        if (const auto eq = entry.find('='); eq != std::string_view::npos) {
            parsed.emplace(trimmed(entry.substr(0, eq)), trimmed(entry.substr(eq + 1)));
        }
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return parsed;
}

actions& configured() {
    static actions all = [] {
        const char* text = std::getenv("SLUICE_FAILPOINTS");
        return text == nullptr ? actions{} : parse(text);
    }();
    return all;
}

std::optional<std::chrono::milliseconds> delay_of(std::string_view action) {
    constexpr std::string_view prefix = "delay:";
    if (!action.starts_with(prefix)) return std::nullopt;
    return parse_duration(action.substr(prefix.size()));
}

// Nothing when it is no such action.
std::optional<int> kills_at(std::string_view action) {
    constexpr std::string_view word = "kill";
    constexpr std::string_view prefix = "kill:";
    if (action == word) return 1;
    if (!action.starts_with(prefix)) return std::nullopt;
    int nth = 0;
    const auto* const end = action.data() + action.size();
    const auto read = std::from_chars(action.data() + prefix.size(), end, nth);
    if (read.ec != std::errc{} || read.ptr != end || nth < 1) return std::nullopt;
    return nth;
}

std::atomic<failpoint_listener> listening{nullptr};

} // namespace

void listen_at_failpoints(failpoint_listener listener) noexcept {
    listening = listener;
}

void failpoint(std::string_view name) {
    if (auto* const listener = listening.load()) listener(name);
    const auto found = configured().find(name);
    if (found == configured().end()) return;
    const std::string_view action = found->second.what;
    if (const auto nth = kills_at(action)) {
        if (++found->second.passed == *nth) std::raise(SIGKILL);
    } else if (action == "block") {
        for (;;) std::this_thread::sleep_for(std::chrono::hours{1});
    } else if (const auto delay = delay_of(action)) {
        std::this_thread::sleep_for(*delay);
    } else {
        // A test that names no real action would prove nothing.
        std::fprintf(stderr, "SLUICE_FAILPOINTS: unknown action at %s\n", found->first.c_str());
        std::abort();
    }
}

} // namespace sluice

#endif
