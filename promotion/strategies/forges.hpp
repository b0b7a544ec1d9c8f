#pragma once

#include "promotion/forge/forge.hpp"
#include "promotion/strategies/task.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace sluice::promotion {

using forge_maker = std::function<result<std::unique_ptr<forge::api>>(
    const forge::connection&, const pipeline::pull_request_strategy&, credentials
)>;

// The forge's API for each environment, kept while Pipeline and login stay the same, so that what it remembers (ETags)
// saves requests.
class forges {
public:
    forges(forge::connection c, forge_maker make) : connection_(c), make_(std::move(make)) {}

    // Null for `git`, which has none.
    [[nodiscard]] result<std::shared_ptr<forge::api>> of(const task& t, const credentials& login);

private:
    struct entry {
        pipeline::definition_ptr pipeline;
        secret_string token;
        std::string username;
        secret_string password;
        std::shared_ptr<const net::client_tls> tls;
        std::shared_ptr<forge::api> api;
    };

    forge::connection connection_;
    forge_maker make_;
    std::map<std::pair<pipeline::object_name, std::string>, entry> known_;
};

} // namespace sluice::promotion
