#pragma once

#include <array>
#include <string_view>

namespace sluice::promotion {

// Where the test build can stop the executor: after each recorded step and before each send. Tests kill it at every
// one of them and race two of them; a name that is not here is not tested.
inline constexpr std::array<std::string_view, 12> executor_failpoints{
    "executor.after_begin",
    "executor.after_fetch",
    "executor.after_patch",
    "executor.after_note_work",
    "executor.before_push",
    "executor.after_push",
    "executor.before_open",
    "executor.after_open",
    "executor.before_record",
    "executor.after_record",
    "executor.before_notify",
    "executor.after_notify",
};

} // namespace sluice::promotion
