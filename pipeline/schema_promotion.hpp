#pragma once

#include "pipeline/schema_fields.hpp"

namespace sluice::pipeline::schema {

// The block `promotion`, of the pipeline or of an environment.
[[nodiscard]] promotion_policy
read_promotion(const nlohmann::json& value, const std::string& pointer, report& out);

// `secretRef: {name: …}`; nothing when it is absent or wrong.
[[nodiscard]] std::optional<std::string>
read_secret_ref(fields& parent, std::string_view name, report& out);

// A name that was read (empty: already told) against one of the rules of schema_names.hpp.
void check_name(
    fields& f,
    std::string_view field,
    const std::string& written,
    std::optional<std::string> (*wrong)(std::string_view)
);

} // namespace sluice::pipeline::schema
