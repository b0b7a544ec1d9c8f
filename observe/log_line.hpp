#pragma once

#include "base/clock.hpp"
#include "observe/log.hpp"

#include <string>
#include <string_view>

namespace sluice::log {

[[nodiscard]] std::string_view to_string(level l) noexcept;

// One line with its line break. Whatever the strings hold, it stays one line of well-formed UTF-8 without control
// characters: input can neither forge a second line nor speak to a terminal.
//   json: {"ts":"2026-08-07T13:12:44.000Z","level":"info","msg":"accepted","pipeline":"default/podinfo"}
//   text: 2026-08-07T13:12:44.000Z info  accepted pipeline=default/podinfo
[[nodiscard]] std::string
format_line(format f, time_point now, level l, std::string_view message, fields fs);

} // namespace sluice::log
