#include "lint/lint.hpp"

#include "lint/workspace.hpp"

namespace sluice::lint {

report run(const options& o) {
    findings found;
    const auto given = read_workspace(o, found);
    check_pipelines(given, found);
    check_flux(given, found);
    check_secrets(given, found);
    check_markers(given, found);
    if (!o.repository.empty()) check_repository(given, o, found);
    return {found.take()};
}

} // namespace sluice::lint
