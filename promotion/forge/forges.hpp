#pragma once

#include "promotion/forge/forge.hpp"
#include "promotion/forge/json_call.hpp"

#include <memory>

// One maker per forge. `options` holds type, place, tls, token and account; the maker adds how its forge is spoken to.
namespace sluice::promotion::forge {

[[nodiscard]] std::unique_ptr<api>
make_github(net::http_client& client, json_call::options options, const credentials& login);
[[nodiscard]] std::unique_ptr<api>
make_gitlab(net::http_client& client, json_call::options options, const credentials& login);
[[nodiscard]] std::unique_ptr<api>
make_gitea(net::http_client& client, json_call::options options, const credentials& login);
[[nodiscard]] std::unique_ptr<api> make_bitbucket_server(
    net::http_client& client, json_call::options options, const credentials& login
);

} // namespace sluice::promotion::forge
