#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/secret_string.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The sender's side: what `sluice sign` prints and the demo sends.
namespace sluice::auth {

enum class scheme { flux, standard, github, bound };
[[nodiscard]] std::optional<scheme> parse_scheme(std::string_view name) noexcept;

struct header {
    std::string name;
    std::string value;
};

struct signing_order {
    auth::scheme scheme = scheme::flux;
    std::string_view body;
    time_point now; // covered by standard and bound
    std::string_view
        message_id; // standard: the same for every try of one message, see new_message_id()
    std::string_view method; // bound
    std::string_view path;   // bound: as it will be sent, without the query
};

// The headers to send. The key is its text as kept in the Secret; white space around it does not matter.
[[nodiscard]] result<std::vector<header>>
sign(const secret_string& key, const signing_order& order);

[[nodiscard]] std::string new_message_id();

} // namespace sluice::auth
