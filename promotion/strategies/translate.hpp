#pragma once

#include "promotion/strategies/desk.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// An environment deployed from the very branch that promotions write to reports commits of that branch (DESIGN,
// translated reports): what is deployed there is what the manifests say at that commit, and that travels on instead.
namespace sluice::promotion {

struct git_revision {
    std::string branch;
    std::string commit;

    friend bool operator==(const git_revision&, const git_revision&) = default;
};
// "main@sha1:<hex>", nothing else.
[[nodiscard]] std::optional<git_revision> parse_git_revision(std::string_view revision);

// Where the environment that proved it may be deployed from; nothing when its report cannot be about that branch.
[[nodiscard]] std::optional<destination> reported_from(const task& t);

// Settles those jobs whose reports are translated; they are done then.
[[nodiscard]] boost::asio::awaitable<void> translate(const workshop& w, std::vector<job>& jobs);

} // namespace sluice::promotion
