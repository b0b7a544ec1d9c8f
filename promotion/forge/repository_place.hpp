#pragma once

#include "base/result.hpp"
#include "net/url.hpp"
#include "pipeline/pipeline.hpp"

#include <string>
#include <string_view>

namespace sluice::promotion::forge {

// Where a forge keeps a repository: the URL people clone from, as its API names it.
struct repository_place {
    net::url server;     // of the API
    std::string api;     // path of the API without a slash at its end: "/api/v3", or empty
    std::string graphql; // of GitHub
    std::string
        owner; // GitLab: all groups, "group/subgroup"; Bitbucket: the project's key, "~user" for personal ones
    std::string name;

    [[nodiscard]] net::url at(std::string_view path_and_query) const;
};

// `api_url` (of the Pipeline) wins over what `url` tells; empty: derived. errc::unprocessable when the URL names no
// repository there.
[[nodiscard]] result<repository_place>
place_of(pipeline::forge type, std::string_view url, std::string_view api_url);

} // namespace sluice::promotion::forge
