#pragma once

#include <functional>
#include <optional>
#include <string>

namespace sluice::config {

// The value of an environment variable, if it is set.
using variable_lookup = std::function<std::optional<std::string>(const std::string& name)>;
[[nodiscard]] std::optional<std::string> process_variable(const std::string& name);

// How the outside is reached, by the variables every program of a machine obeys. Not settings: a proxy's URL may hold a
// password, and --print-config shows settings.
struct proxies {
    std::string https;
    std::string http;
    std::string none; // hosts reached directly
};
// The lower-case name wins, as with curl.
[[nodiscard]] proxies read_proxies(const variable_lookup& variables);

} // namespace sluice::config
