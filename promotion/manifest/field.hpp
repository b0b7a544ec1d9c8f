#pragma once

#include "promotion/manifest/find_markers.hpp"

#include <string_view>

namespace sluice::promotion {

// The scalar a path leads to, for repositories whose comments do not survive: keys joined by dots, list items by
// number or by one of their members, keys that hold a dot in quotes:
//   spec.chart.spec.version
//   images[0].newTag    spec.containers[name=podinfo].image
//   metadata.annotations["app.kubernetes.io/version"]
// Exactly one document of the file must have it. The error is unprocessable and tells how far the path leads.
[[nodiscard]] result<scalar_place> find_field(const yaml::syntax& file, std::string_view field);

// The path alone, so that a wrong one is told before any promotion needs it.
[[nodiscard]] outcome check_field(std::string_view field);

} // namespace sluice::promotion
