#pragma once

#include "home/ledger.hpp"

#include <cstring>
#include <string>

// Events and decisions small enough to see what the ledger makes of them.
namespace sluice::tests {

inline const pipeline::object_name podinfo{"default", "podinfo"};

// Different numbers are different bytes.
inline home::event_digest digest_of(std::uint64_t number) {
    home::event_digest digest{};
    const std::uint64_t spread =
        number * 0x9e3779b97f4a7c15ULL; // as evenly spread as a real digest
    std::memcpy(digest.data(), &spread, sizeof spread);
    const std::uint64_t mixed = spread ^ (spread >> 29);
    std::memcpy(digest.data() + 8, &mixed, sizeof mixed);
    std::memcpy(digest.data() + 24, &number, sizeof number);
    return digest;
}

inline home::submission healthy(
    const std::string& revision,
    std::uint64_t number,
    time_point now,
    pipeline::object_name name = podinfo
) {
    home::submission s;
    s.pipeline = std::move(name);
    s.environment = "dev";
    s.digest = digest_of(number);
    pipeline::deployment_event e;
    e.facts.revision = revision;
    e.verdict = pipeline::verdict::healthy;
    e.reason = "UpgradeSucceeded";
    e.message = "Helm upgrade succeeded";
    e.signed_at = now;
    s.event = std::make_shared<const pipeline::deployment_event>(std::move(e));
    s.received_at = now;
    return s;
}

inline pipeline::promotion promotion_into_prod(const home::submission& s) {
    pipeline::promotion p;
    p.id.pipeline = s.pipeline;
    p.id.environment = "prod";
    p.id.revision = s.event->facts.revision;
    p.facts = s.event->facts;
    p.state = pipeline::promotion_state::awaiting_approval;
    p.reason = "manual";
    p.message = s.event->facts.revision + " is healthy in dev and waits for an approval into prod";
    p.from_environment = s.environment;
    p.first_evidence = s.event->signed_at;
    p.created_at = s.received_at;
    p.updated_at = s.received_at;
    return p;
}

// What a pipeline with `manual: true` does: park the new revision, supersede and forget the one that waited.
inline home::decide_fn park(const home::submission& s) {
    return [s](const pipeline::pipeline_records& records) {
        pipeline::decision d;
        const auto opened = promotion_into_prod(s);
        d.promotion = opened.id;
        d.changes.emplace_back(pipeline::set_slot{
            "dev", "podinfo", {s.event->facts, s.event->verdict, false, s.event->signed_at}
        });
        if (const auto prod = records.find("prod"); prod != records.end()) {
            for (const auto& a : prod->second.attempts) {
                if (a.id == opened.id) {
                    d.what = pipeline::verdict_on_event::duplicate;
                    d.reason = "it already waits";
                    return d;
                }
                const auto why = "replaced by " + opened.id.revision;
                d.changes.emplace_back(
                    pipeline::transition{a.id, pipeline::promotion_state::superseded, "newer", why}
                );
                d.changes.emplace_back(pipeline::forget_attempt{a.id});
            }
        }
        d.what = pipeline::verdict_on_event::await_approval;
        d.reason = opened.message;
        d.changes.emplace_back(pipeline::open_promotion{opened});
        return d;
    };
}

inline home::decide_fn move_to(const pipeline::promotion_id& id, pipeline::promotion_state to) {
    return [id, to](const pipeline::pipeline_records& /*records*/) {
        pipeline::decision d;
        d.what = pipeline::verdict_on_event::record;
        d.reason = "moved";
        d.changes.emplace_back(pipeline::transition{id, to, "asked", "somebody asked for it"});
        return d;
    };
}

} // namespace sluice::tests
