#pragma once

#include "pipeline/decide.hpp"

// The numbers that stand in the ledger's file. They never change; new ones are added.
namespace sluice::embedded {

[[nodiscard]] int to_code(pipeline::verdict v) noexcept;
[[nodiscard]] int to_code(pipeline::evidence_source s) noexcept;
[[nodiscard]] int to_code(pipeline::verdict_on_event v) noexcept;
[[nodiscard]] int to_code(pipeline::promotion_kind k) noexcept;

[[nodiscard]] pipeline::verdict verdict_of(std::int64_t code) noexcept;
[[nodiscard]] pipeline::verdict_on_event decision_of(std::int64_t code) noexcept;
[[nodiscard]] pipeline::promotion_kind kind_of(std::int64_t code) noexcept;

[[nodiscard]] inline std::int64_t to_code(time_point t) noexcept {
    return t.time_since_epoch().count();
}
[[nodiscard]] inline time_point time_of(std::int64_t code) noexcept {
    return time_point{std::chrono::milliseconds{code}};
}

} // namespace sluice::embedded
