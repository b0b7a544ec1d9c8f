#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

// One line tells an operator what happened and what to do. Fields are typed so that nothing needs quoting by hand,
// and a secret_string does not fit into one.
namespace sluice::log {

enum class level { debug, info, warn, error };
enum class format { text, json };

using value = std::variant<std::string_view, std::int64_t, double, bool>;

struct field {
    std::string_view name;
    log::value value;

    field(std::string_view n, std::string_view v) : name(n), value(v) {}
    field(std::string_view n, const char* v) : name(n), value(std::string_view{v}) {}
    field(std::string_view n, const std::string& v) : name(n), value(std::string_view{v}) {}
    field(std::string_view n, bool v) : name(n), value(v) {}
    field(std::string_view n, double v) : name(n), value(v) {}
    template <class Integer>
        requires std::is_integral_v<Integer> && (!std::is_same_v<Integer, bool>)
    field(std::string_view n, Integer v) : name(n), value(static_cast<std::int64_t>(v)) {}
};
using fields = std::initializer_list<field>;

// From here on lines go to stderr through a bounded queue that never blocks a request: what does not fit is counted,
// and told in a line of its own. Before, and after stop(), each line is written at once (before: as text). Calling
// start() again changes format and level; stop() waits until what is queued is written, at most a second if nobody
// reads stderr.
void start(log::format f, log::level least);
void stop();
[[nodiscard]] bool enabled(level l) noexcept;
[[nodiscard]] std::uint64_t dropped() noexcept;

void write(level l, std::string_view message, fields f);
inline void debug(std::string_view message, fields f = {}) {
    write(level::debug, message, f);
}
inline void info(std::string_view message, fields f = {}) {
    write(level::info, message, f);
}
inline void warn(std::string_view message, fields f = {}) {
    write(level::warn, message, f);
}
inline void error(std::string_view message, fields f = {}) {
    write(level::error, message, f);
}

} // namespace sluice::log
