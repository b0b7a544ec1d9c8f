#pragma once

#include "pipeline/pipeline.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::pipeline {

// A mistake in a manifest: where (JSON pointer, e.g. "/spec/environments/1/name"), what, and what to do.
struct mistake {
    std::string pointer;
    std::string message;
    std::string remedy;
};

// What was written at a JSON pointer where the reader made it a number or boolean: `1.10` is the double 1.1 by now. Lets a
// remedy say `write it in quotes: "1.10"`. Empty when unknown.
using source_text = std::function<std::string(std::string_view pointer)>;

// The one schema the file loader, lint and later the CRD share. All mistakes are told, not the first. A field whose
// feature does not exist yet is refused with "not supported yet", never ignored.
[[nodiscard]] std::variant<definition, std::vector<mistake>>
read_pipeline(const nlohmann::json& document, const source_text& source = {});

struct manifest {
    std::string pointer; // within the document: "" or, in a List, "/items/0"
    const nlohmann::json* value;
};

// The objects of a document: itself, or what a Kubernetes List holds.
[[nodiscard]] std::vector<manifest> objects_in(const nlohmann::json& document);

// True for a Pipeline of ours, also in its older and misspelt forms, so that they are told and not skipped. Other kinds of
// that name (Tekton has one) are not ours.
[[nodiscard]] bool is_pipeline(const nlohmann::json& object);

} // namespace sluice::pipeline
