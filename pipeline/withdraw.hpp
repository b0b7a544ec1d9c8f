#pragma once

#include "pipeline/draft.hpp"

#include <optional>
#include <string_view>

namespace sluice::pipeline {

struct withdrawal {
    promotion_id id;
    std::string_view outcome; // for people
};

// The revision failed where it was proven: its promotion into `into`, if there is one and it is not merged, is held.
std::optional<withdrawal> withdraw(draft& d, const environment& into);

[[nodiscard]] bool is_withdrawn(const attempt& a);

// The proof is back: the promotion goes on. Where a person must agree it asks again, also one that was approved: the approval
// was for a proof that failed.
void restore(draft& d, const environment& into, const attempt& held);

} // namespace sluice::pipeline
