#pragma once

#include "pipeline/deployment_event.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sluice::promotion {

// What a marker writes. `revision` is the written form, all others are facts a promotion may or may not have.
enum class fact { revision, app_version, tag, digest, name, image };

[[nodiscard]] std::string_view to_string(fact f) noexcept; // "app-version"
[[nodiscard]] std::optional<fact> parse_fact(std::string_view text) noexcept;

// Nothing when the promotion does not know it. `tag`, `digest`, `name` and `image` (name:tag[@digest]) come from a
// trigger's `image`, `tag` and `digest`, or from an OCI revision.
[[nodiscard]] std::optional<std::string> value_of(fact f, const pipeline::revision_facts& facts);

// Where the fact would have to come from, for the person who reads that it is missing.
[[nodiscard]] std::string_view origin_of(fact f) noexcept;

} // namespace sluice::promotion
