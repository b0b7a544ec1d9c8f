#pragma once

#include "base/result.hpp"
#include "promotion/git/cache.hpp"
#include "promotion/git/repository.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::promotion::git {

// What the other side said about one ref.
struct ref_status {
    bool done = false;
    std::string message;
    bool unwell = false; // it did not come to judge the ref: its disk is full, its unpacker died
};

// The way to one remote: over HTTP, or to a folder of this machine.
class wire {
public:
    virtual ~wire() = default;
    // From here on everything together may take as long as one transfer may.
    virtual void begin() = 0;
    // All branches there are.
    [[nodiscard]] virtual result<branch_tips> list() = 0;
    // The same, and the objects of those wanted are in the cache afterwards.
    [[nodiscard]] virtual result<branch_tips>
    fetch(cache& into, const std::vector<std::string>& wanted) = 0;
    // One request. In the order of `updates`; the remote itself compares each tip with the expected one.
    [[nodiscard]] virtual result<std::vector<ref_status>> push(
        cache& from, const std::vector<ref_update>& updates, const std::vector<git_oid>& objects
    ) = 0;
    // Where its objects can be read without fetching them; empty: nowhere.
    [[nodiscard]] virtual std::filesystem::path objects() const = 0;
};

// By the scheme of the URL; the error is permanent and says what would be allowed.
[[nodiscard]] result<std::unique_ptr<wire>> make_wire(const environment& env, const remote& r);

} // namespace sluice::promotion::git
