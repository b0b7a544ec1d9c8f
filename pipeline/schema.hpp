#pragma once

#include "pipeline/pipeline.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <variant>
#include <vector>

namespace sluice::pipeline {

// A mistake in a manifest: where (JSON pointer, e.g. "/spec/environments/1/name"), what, and what to do.
struct mistake {
    std::string pointer;
    std::string message;
    std::string remedy;
};

// The one schema the file loader, lint and later the CRD share. All mistakes are told, not the first. A field whose
// feature does not exist yet is refused with "not supported yet", never ignored.
[[nodiscard]] std::variant<definition, std::vector<mistake>>
read_pipeline(const nlohmann::json& document);

} // namespace sluice::pipeline
