#pragma once

#include "pipeline/schema_fields.hpp"

#include <string>
#include <vector>

namespace sluice::pipeline::schema {

// The block `strategy` of a promotion: exactly one way.
[[nodiscard]] strategy
read_strategy(const nlohmann::json& value, const std::string& pointer, report& out);

// What the strategies that write to git share. Each field is empty when it is absent or wrong.
[[nodiscard]] std::vector<manifest_field> read_manifests(fields& f, report& out);
[[nodiscard]] std::string read_template(fields& f, std::string_view name);
// A list of texts, none empty, none twice.
[[nodiscard]] std::vector<std::string>
read_words(fields& f, std::string_view name, std::string_view example, report& out);

} // namespace sluice::pipeline::schema
