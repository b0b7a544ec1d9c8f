#pragma once

#include <nlohmann/json_fwd.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

// One line tells an operator what happened and what to do. Fields are typed so that nothing needs quoting by hand, and a
// secret_string does not fit into one.
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

// Once, at start-up. Lines go to stderr through a bounded queue that never blocks a request: what does not fit is counted.
void start(log::format f, log::level least);
void stop();
[[nodiscard]] bool enabled(level l) noexcept;

void write(level l, std::string_view message, fields f);
inline void debug(std::string_view message, fields f = {}) { write(level::debug, message, f); }
inline void info(std::string_view message, fields f = {}) { write(level::info, message, f); }
inline void warn(std::string_view message, fields f = {}) { write(level::warn, message, f); }
inline void error(std::string_view message, fields f = {}) { write(level::error, message, f); }

} // namespace sluice::log
