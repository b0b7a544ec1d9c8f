#pragma once

#include "pipeline/record.hpp"
#include "promotion/forge/forge.hpp"
#include "promotion/git/repository.hpp"
#include "promotion/strategies/task.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice::promotion {

// What git says about a promotion before anything is pushed.
enum class finding {
    to_push,   // a commit is made and may be pushed
    pushed,    // the branch holds that very commit already
    merged,    // the recorded commit is in the base
    unchanged, // the base says it already
    newer,     // the base says something newer
    held,      // somebody else's commits are on the branch
    failed,
};

// How far a run has come with a job.
enum class stage {
    on_its_way,
    again, // the base or the branch moved: from the fetch on
    done,  // settled, or gone another way
};

// One promotion on its way through a repository.
struct job {
    task t;
    destination to;
    std::string branch; // that is pushed; for the strategy push the base itself
    std::vector<pipeline::promotion>
        siblings;                            // others into the same environment that have not ended
    std::set<std::string, std::less<>> ours; // commits recorded for this environment
    pipeline::pipeline_records records;      // for the text
    std::shared_ptr<forge::api> forge;       // null: none
    pipeline::promotion_work work;           // as it is recorded next
    bool read_by_people = false;             // title, body and diff are wanted
    promotion::stage stage = promotion::stage::on_its_way;
    bool alone = false; // its branch was refused with others on it: it goes by itself

    // Made on a git thread.
    finding found = finding::failed;
    error why;       // of `failed` and `held`
    std::string tip; // of the branch when it was fetched; empty: none
    std::string title;
    std::string body;
    std::string diff;
    std::vector<std::string> remarks;
    std::vector<pipeline::promotion> merged_siblings; // where no forge tells

    // Made between patch and push.
    std::optional<forge::view> open;        // the pull request to rewrite
    std::vector<pipeline::promotion> older; // whose place this one takes
    std::string leftover; // tip of its branch, once nothing needs the branch any more
};

using tips = std::map<std::string, std::string>;

} // namespace sluice::promotion
