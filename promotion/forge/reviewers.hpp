#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::promotion::forge {

struct reviewer_names {
    std::vector<std::string> users;
    std::vector<std::string> teams;
};

// Pipelines write a team as "team:slug".
[[nodiscard]] inline reviewer_names split_reviewers(const std::vector<std::string>& names) {
    constexpr std::string_view prefix = "team:";
    reviewer_names split;
    for (const auto& name : names) {
        if (name.starts_with(prefix)) {
            split.teams.push_back(name.substr(prefix.size()));
        } else {
            split.users.push_back(name);
        }
    }
    return split;
}

} // namespace sluice::promotion::forge
