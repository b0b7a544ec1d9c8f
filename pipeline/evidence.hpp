#pragma once

#include "pipeline/slots.hpp"

#include <string>
#include <vector>

namespace sluice::pipeline {

enum class standing {
    proven, // the revision may leave the environment
    open,   // some target has not said so yet
    failed, // a target that counts says it fails
};

struct evidence {
    pipeline::standing standing = pipeline::standing::open;
    time_point since;                 // when it became proven, by the signed times
    std::size_t proven = 0;           // targets that prove the revision
    std::size_t targets = 0;          // targets that can be told apart
    bool claimed = false;             // by CI, and by too few targets
    std::size_t elsewhere = 0;        // targets that speak of another revision
    bool tests_missing = false;       // healthy everywhere it must be, but not tested
    std::vector<std::string> failing; // for people
    std::vector<std::string> missing;
};

// DESIGN, "Evidence": what the slots of an environment say about one revision.
[[nodiscard]] evidence
weigh(const environment& env, const slot_map& slots, const revision_facts& facts, proof wanted);

// One environment earlier a target that counts says that it fails: it may not go on.
[[nodiscard]] bool failed_before(
    const definition& pipeline,
    const pipeline_records& records,
    const environment& into,
    const revision_facts& facts
);

} // namespace sluice::pipeline
