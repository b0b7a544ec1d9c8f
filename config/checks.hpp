#pragma once

#include <string>
#include <string_view>

// The text_check functions of the table: empty when right, else what is wrong and what to write.
namespace sluice::config {

[[nodiscard]] std::string not_empty(std::string_view text);
[[nodiscard]] std::string listen_url(std::string_view text);       // "https://127.0.0.1:8443"
[[nodiscard]] std::string address_and_port(std::string_view text); // "127.0.0.1:8081", "[::1]:8081"
[[nodiscard]] std::string network(std::string_view text);          // "10.0.0.0/8", "fd00::/8"
[[nodiscard]] std::string pipeline_name(std::string_view text);    // "default/podinfo"
[[nodiscard]] std::string http_url(std::string_view text);         // "http://host/", or empty
[[nodiscard]] std::string author_part(std::string_view text);      // what git takes in a name

} // namespace sluice::config
