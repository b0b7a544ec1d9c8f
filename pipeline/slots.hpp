#pragma once

#include "pipeline/decide.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

// How a report becomes the last word about its target.
namespace sluice::pipeline {

using slot_map = decltype(environment_record::slots);

// What the slot holds after the report; nothing when the report is stale: signed before the slot's last word, or in the
// same second and weaker (failure wins over everything, a newer version over an older one). A word signed beyond the horizon
// was taken while clocks were ahead; it is no last word, or its target would not be heard until then.
[[nodiscard]] std::optional<slot>
last_word(const slot* before, const deployment_event& event, time_point horizon);

struct slot_changes {
    slot_map after;
    bool stale = false; // for every target the event speaks for
    std::vector<change> changes;
};

[[nodiscard]] slot_changes
report_to_slots(const arrival& a, const slot_map& before, time_point horizon);

} // namespace sluice::pipeline
