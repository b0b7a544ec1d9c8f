#pragma once

#include "config/proxies.hpp"
#include "config/settings.hpp"

// The rooms' own option structs, filled from what was loaded.
namespace sluice::config {

[[nodiscard]] intake::options intake_options(const settings& s);
[[nodiscard]] server::door_options door_options(const settings& s);
[[nodiscard]] server::event_options event_options(const settings& s);
[[nodiscard]] server::approval_options approval_options(const settings& s);
[[nodiscard]] net::http_client::options http_options(const variable_lookup& variables);
// `variables`: where HTTPS_PROXY, HTTP_PROXY and NO_PROXY are looked up.
[[nodiscard]] promotion::executor_options
executor_options(const settings& s, const variable_lookup& variables);
[[nodiscard]] embedded::ledger_options ledger_options(const settings& s);
[[nodiscard]] std::size_t network_threads(const settings& s);
// Connections, and what files, database and loops need beside them.
[[nodiscard]] std::size_t open_files_needed(const settings& s);

} // namespace sluice::config
