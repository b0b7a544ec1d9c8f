#pragma once

#include "base/result.hpp"
#include "promotion/git/repository.hpp"

#include <set>
#include <string>

// Whose is the tip of a promotion branch? A tip somebody else pushed is never overwritten.
namespace sluice::promotion {

enum class tip_owner {
    nobody, // there is no such branch
    ours,   // recorded, contained in the base, or only by us
    other,
};

struct tip_facts {
    std::string tip;                             // empty: no such branch
    std::string base;                            // tip of the base branch
    std::set<std::string, std::less<>> recorded; // commits of the environment's promotions
    git::author author;                          // ours
};

// On a git thread.
[[nodiscard]] result<tip_owner> owner_of(git::repository& in, const tip_facts& facts);

} // namespace sluice::promotion
