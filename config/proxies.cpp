#include "config/proxies.hpp"

#include <cstdlib>

namespace sluice::config {

std::optional<std::string> process_variable(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

proxies read_proxies(const variable_lookup& variables) {
    const auto either = [&](const char* lower, const char* upper) {
        auto found = variables(lower);
        if (!found || found->empty()) found = variables(upper);
        return found.value_or("");
    };
    return {
        either("https_proxy", "HTTPS_PROXY"),
        either("http_proxy", "HTTP_PROXY"),
        either("no_proxy", "NO_PROXY"),
    };
}

} // namespace sluice::config
