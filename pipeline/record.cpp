#include "pipeline/record.hpp"

#include <algorithm>

namespace sluice::pipeline {
namespace {

// The environment record a promotion into it is listed in, and its place there.
attempt* find_attempt(pipeline_records& records, const promotion_id& id) {
    const auto record = records.find(id.environment);
    if (record == records.end()) return nullptr;
    auto& attempts = record->second.attempts;
    const auto found = std::ranges::find(attempts, id, &attempt::id);
    return found == attempts.end() ? nullptr : &*found;
}

struct applier {
    pipeline_records& records;

    void operator()(const set_slot& c) const {
        records[c.environment].slots.insert_or_assign(c.target, c.slot);
    }

    void operator()(const clear_slot& c) const { records[c.environment].slots.erase(c.target); }

    void operator()(const set_current& c) const { records[c.environment].current = c.facts; }

    void operator()(const open_promotion& c) const {
        const auto& id = c.promotion.id;
        auto& attempts = records[id.environment].attempts;
        std::erase_if(attempts, [&](const attempt& a) {
            return a.id.revision == id.revision && a.id.kind == id.kind;
        });
        attempts.push_back(attempt_of(c.promotion));
    }

    void operator()(const transition& c) const {
        auto* const a = find_attempt(records, c.id);
        if (a == nullptr) return; // forgotten: history has it, decide() no longer asks
        a->state = c.to;
        a->reason = c.reason;
    }

    // decide() never asks what was done outside: only the ledger keeps it.
    void operator()(const set_work& /*c*/) const {}

    void operator()(const forget_attempt& c) const {
        std::erase_if(records[c.id.environment].attempts, [&](const attempt& a) {
            return a.id == c.id;
        });
    }
};

} // namespace

void apply(pipeline_records& records, const change& c) {
    std::visit(applier{records}, c);
}

attempt attempt_of(const promotion& p) {
    return {p.id, p.facts, p.state, p.reason, p.first_evidence};
}

} // namespace sluice::pipeline
