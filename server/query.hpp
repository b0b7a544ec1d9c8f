#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::server {

// The decoded value of a query parameter; the first one where it was sent twice, nothing on a broken escape.
[[nodiscard]] std::optional<std::string> query_value(std::string_view query, std::string_view name);

} // namespace sluice::server
