#pragma once

#include "base/result.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace sluice::yaml {

// What a scalar means, as Kubernetes' reader (sigs.k8s.io/yaml) has it:
// - quoted, literal and folded scalars are strings;
// - plain ones are null (~, null, empty), booleans (true, yes, on, y and their opposites), integers (also 0x1f, 0o17, 017, 0b1,
//   1_000), floats, else strings; dates are strings; .inf and .nan cannot be told in JSON and are refused;
// - a tag (!!str, !!int, !!float, !!bool, !!null, "!") wins; other tags are refused.
[[nodiscard]] result<nlohmann::json>
resolve(std::string_view text, bool plain, std::string_view tag);

} // namespace sluice::yaml
