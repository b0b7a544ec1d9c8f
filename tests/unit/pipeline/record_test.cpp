#include "pipeline/record.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

using namespace sluice;
using namespace sluice::pipeline;

namespace {

promotion into_prod(std::string revision, int attempt = 1) {
    promotion p;
    p.id = {{"default", "podinfo"}, "prod", revision, promotion_kind::promotion, attempt};
    p.facts = facts(std::move(revision));
    p.reason = "proven";
    p.first_evidence = at(5);
    return p;
}

void apply_all(pipeline_records& records, const std::vector<change>& changes) {
    for (const auto& c : changes) apply(records, c);
}

} // namespace

TEST_CASE("slots and the current revision are kept per environment") {
    pipeline_records records;
    slot s;
    s.facts = facts("1.0.0");
    s.verdict = verdict::healthy;
    s.signed_at = at(1);
    apply_all(
        records,
        {set_slot{"dev", ":a", s}, set_slot{"dev", ":b", s}, set_current{"prod", facts("0.9.0")}}
    );
    CHECK(records["dev"].slots.at(":a") == s);
    CHECK(records["dev"].slots.size() == 2);
    CHECK_FALSE(records["dev"].current);
    CHECK(records["prod"].current == facts("0.9.0"));

    s.verdict = verdict::failed;
    apply_all(records, {set_slot{"dev", ":a", s}, clear_slot{"dev", ":b"}});
    CHECK(records["dev"].slots.at(":a").verdict == verdict::failed);
    CHECK(records["dev"].slots.size() == 1);
}

TEST_CASE("a promotion is opened, moved and forgotten in the record of its target") {
    pipeline_records records;
    const auto p = into_prod("1.0.0");
    apply_all(records, {open_promotion{p}});
    REQUIRE(records["prod"].attempts.size() == 1);
    CHECK(records["prod"].attempts[0] == attempt_of(p));
    CHECK(records["prod"].attempts[0].first_evidence == at(5));

    apply_all(records, {transition{p.id, promotion_state::held, "evidence", "it failed"}});
    CHECK(records["prod"].attempts[0].state == promotion_state::held);
    CHECK(records["prod"].attempts[0].reason == "evidence");

    apply_all(records, {forget_attempt{p.id}});
    CHECK(records["prod"].attempts.empty());
    apply_all(records, {transition{p.id, promotion_state::merged, "", ""}});
    CHECK(records["prod"].attempts.empty());
}

TEST_CASE("only the newest attempt at a revision is kept, beside a rollback to it") {
    pipeline_records records;
    auto rollback = into_prod("1.0.0");
    rollback.id.kind = promotion_kind::rollback;
    apply_all(
        records,
        {open_promotion{into_prod("1.0.0")},
         open_promotion{into_prod("1.1.0")},
         open_promotion{rollback},
         open_promotion{into_prod("1.0.0", 2)}}
    );
    std::vector<std::string> ids;
    for (const auto& a : records["prod"].attempts) ids.push_back(a.id.text());
    CHECK(
        ids ==
        std::vector<std::string>{
            "default/podinfo/prod@1.1.0",
            "default/podinfo/prod@1.0.0!rollback",
            "default/podinfo/prod@1.0.0#2"
        }
    );
}
