#pragma once

#include "base/clock.hpp"
#include "pipeline/promotion.hpp"

#include <string>
#include <string_view>

namespace sluice::promotion::notify {

// The event by which Weave's strategy notification tells receivers to promote; what CI systems parse of it stays as
// it was. notification-controller hands on only metadata whose keys begin with the group of the object, so the plain
// keys of Weave are joined by prefixed ones. `reporter` is this machine's name.
[[nodiscard]] std::string
promote_event(const pipeline::promotion& p, std::string_view reporter, time_point now);

} // namespace sluice::promotion::notify
