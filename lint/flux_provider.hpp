#pragma once

#include "lint/workspace.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::lint {

// A Flux Provider that speaks to Sluice.
struct provider {
    const object* from;
    pipeline::object_name name;
    std::vector<std::string> path; // the address's, without /promotion
    const known_pipeline* pipeline = nullptr;
    const pipeline::environment* environment = nullptr;
};

// True for a `kind` of the group notification.toolkit.fluxcd.io, however it is capitalised.
[[nodiscard]] bool is_flux(const object& o, std::string_view kind);
// Flux 2.9 serves only v1beta3 of both; tells older ones.
void check_flux_version(const object& o, std::string_view kind, findings& out);

// Nothing when the Provider sends elsewhere.
[[nodiscard]] std::optional<provider> read_provider(const workspace& w, const object& o);
void check_provider(
    const workspace& w, const provider& p, const std::vector<provider>& all, findings& out
);

} // namespace sluice::lint
