#pragma once

#include "pipeline/acts.hpp"

#include <string>
#include <string_view>

// What the acts share: how they are told, what they are refused for, how a person opens a promotion.
namespace sluice::pipeline {

// "user:alice approved it: looks good".
[[nodiscard]] std::string by_whom(const act& a, std::string_view did);
// errc::not_found, or a conflict when a later attempt took its place.
[[nodiscard]] error unknown(const pipeline_records& records, const promotion_id& id);
// "; retry it" where that would help, else empty.
[[nodiscard]] std::string_view what_helps(const attempt& a);

// May anything new go into this environment now? unprocessable: the Pipeline does not have it; conflict: suspended.
[[nodiscard]] result<const environment*> open_to_new(const definition& d, std::string_view name);
// A denied revision, one that failed where it comes from, and one older than what is there or on its way.
[[nodiscard]] outcome check_candidate(
    const act& a, const pipeline_records& records, const environment& into, const promotion& p
);
// Opens it for approval or for the executor, and ends the older ones that wait. `text` tells who asked.
[[nodiscard]] decision open_for_person(
    const act& a,
    const pipeline_records& records,
    const environment& into,
    promotion p,
    std::string text
);

} // namespace sluice::pipeline
