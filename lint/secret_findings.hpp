#pragma once

#include "lint/workspace.hpp"

#include <string>

namespace sluice::lint {

// About a Secret or one of its keys (empty: the whole), where it is written: in a manifest or in a folder.
void tell(
    const known_secret& s,
    const std::string& key,
    severity level,
    std::string message,
    std::string remedy,
    findings& out
);

// The Secret that a pipeline names; told at `below` when a secrets folder was given and does not have it.
[[nodiscard]] const known_secret* needed(
    const workspace& w,
    const known_pipeline& p,
    const std::string& name,
    const std::string& below,
    findings& out
);

} // namespace sluice::lint
