#pragma once

#include "pipeline/record.hpp"
#include "pipeline/version.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::pipeline {

struct contender {
    std::string revision;                     // in written form
    std::optional<time_point> first_evidence; // unknown of what others deployed
    const pipeline::attempt* attempt = nullptr;
};

// DESIGN, "Order": one revision among all that compete for an environment: what runs there, what is on its way, what
// was written. By version if every one of them parses, else by first evidence; a tie in versions goes by first
// evidence too.
class contest {
public:
    contest(const environment_record& into, contender candidate);

    // One that the candidate must not overtake, or none.
    [[nodiscard]] const contender* newer() const&;
    const contender* newer() const&& = delete; // it points into the contest
    [[nodiscard]] std::vector<const contender*> newer_ones() const&;
    std::vector<const contender*> newer_ones() const&& = delete;
    [[nodiscard]] std::vector<const attempt*> older_attempts() const;

private:
    [[nodiscard]] bool is_newer(const contender& a, const contender& b) const;

    contender candidate_;
    std::vector<contender> others_;
    bool by_version_ = true;
};

// By its id, which is its written form already: records hold many, and each event asks all of them.
[[nodiscard]] bool is_attempt_at(const attempt& a, const release& r);

// The one promotion, in any state, that this revision in written form has into the environment.
[[nodiscard]] const attempt*
attempt_named(const environment_record& into, std::string_view revision);

// The newest attempt at this revision into the environment.
[[nodiscard]] const attempt*
newest_attempt(const environment_record& into, const revision_facts& facts);

} // namespace sluice::pipeline
