#pragma once

#include "pipeline/acts.hpp"
#include "pipeline/progress.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

#include <string>

// A world in which people and the executor act, too.
namespace sluice::pipeline {

inline promotion_id into(std::string environment, std::string revision, int attempt = 1) {
    promotion_id id{{"default", "podinfo"}, std::move(environment), std::move(revision)};
    id.attempt = attempt;
    return id;
}

inline act by(const world& w, std::string note = {}) {
    return {w.pipeline(), "user:ada", std::move(note), at(1'000)};
}

inline definition manual_pipeline() {
    auto d = make_pipeline();
    d.promotion->manual = true;
    return d;
}

inline promotion_work work_of(std::string commit, std::int64_t number = 0) {
    promotion_work w;
    w.repository = "https://git.example.org/fleet";
    w.base_branch = "main";
    w.branch = "promotion-default-podinfo-staging";
    w.commit = std::move(commit);
    if (number != 0) {
        w.pull_request = pull_request{
            "https://git.example.org/fleet/pulls/1", number, pull_request_state::open, w.commit
        };
    }
    return w;
}

inline promotion shown(promotion_id id, promotion_state state, std::string_view reason = {}) {
    promotion p;
    p.facts = facts(id.revision);
    p.id = std::move(id);
    p.state = state;
    p.reason = reason;
    p.from_environment = "dev";
    p.first_evidence = at(1);
    return p;
}

// Its state in the record, with its reason: "Pending(approved)"; "-" when it is not there.
inline std::string where(const world& w, const promotion_id& id) {
    for (const auto& a : w.record(id.environment).attempts) {
        if (a.id == id) return std::string{to_string(a.state)} + "(" + a.reason + ")";
    }
    return "-";
}

inline void check_refused(const result<decision>& decided, errc code, const std::string& text) {
    REQUIRE(decided.has_error());
    CHECK(decided.error().code == code);
    CHECK_THAT(decided.error().detail, Catch::Contains(text));
}

} // namespace sluice::pipeline
