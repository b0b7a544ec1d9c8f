#pragma once

#include "config/settings.hpp"

// The rooms' own option structs, filled from what was loaded.
namespace sluice::config {

[[nodiscard]] intake::options intake_options(const settings& s);
[[nodiscard]] server::event_options event_options(const settings& s);
[[nodiscard]] embedded::ledger_options ledger_options(const settings& s);
[[nodiscard]] std::size_t network_threads(const settings& s);
// Connections, and what files, database and loops need beside them.
[[nodiscard]] std::size_t open_files_needed(const settings& s);

} // namespace sluice::config
