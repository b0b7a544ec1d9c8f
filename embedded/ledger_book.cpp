#include "embedded/ledger_book.hpp"

#include "pipeline/step.hpp"

#include <stdexcept>
#include <utility>

namespace sluice::embedded {
namespace {

template <class... Cases>
struct overloaded : Cases... {
    using Cases::operator()...;
};

std::string_view actor_of(pipeline::evidence_source source) {
    switch (source) {
    case pipeline::evidence_source::flux: return "flux";
    case pipeline::evidence_source::trigger: return "trigger";
    }
    return "flux";
}

home::acceptance answer_of(const pipeline::decision& d) {
    return {d.what, d.reason, d.promotion ? d.promotion->text() : std::string{}};
}

// The same bytes were accepted before. For another environment, they are somebody's replay.
result<home::acceptance> repeated(const home::recollection& first, const std::string& environment) {
    if (first.environment == environment) return first.answer;
    return error(
        errc::unauthenticated,
        "the same signed bytes were accepted for environment " + first.environment,
        "the request is not authenticated"
    );
}

// decide runs before anything is written for its request, so its failure is its own.
template <class Decide>
result<pipeline::decision>
decided(const Decide& decide, const pipeline::pipeline_records& records) {
    try {
        return decide(records);
    } catch (const std::exception& e) {
        return error(
            errc::internal,
            std::string{"the decision failed: "} + e.what(),
            "the event could not be decided"
        );
    }
}

bool waits_for_a_person(pipeline::promotion_state state) {
    return state == pipeline::promotion_state::awaiting_approval;
}

std::logic_error never_opened(const pipeline::promotion_id& id) {
    return std::logic_error("a decision changes " + id.text() + ", which was never opened");
}

} // namespace

ledger_book::ledger_book(sqlite::connection& db, digest_cache& digests)
    : tables_(db), loader_(db), digests_(digests), next_promotion_(tables_.newest_promotion() + 1) {
}

result<home::acceptance>
ledger_book::accept(const home::submission& s, const home::decide_fn& decide) {
    if (const auto first = seen_before(s)) return repeated(*first, s.environment);

    auto& p = page_of(s.pipeline);
    const auto d = decided(decide, p.records);
    if (!d) return d.error();
    auto answer = answer_of(*d);
    const ledger_tables::stamp by{s.received_at, actor_of(s.event->source)};
    tables_.observe(environment_of(p, s.environment), s, answer);
    for (const auto& c : d->changes) write(p, c, by);

    fresh_by_key_.emplace(digest_key{s.pipeline, s.digest}, fresh_.size());
    fresh_.push_back({place_of(p, s.environment), s.digest, s.event->signed_at, answer});
    return answer;
}

result<pipeline::decision> ledger_book::change(
    const pipeline::object_name& pipeline,
    const std::string& actor,
    const home::change_fn& decide,
    time_point now
) {
    auto& p = page_of(pipeline);
    auto d = decided(decide, p.records);
    if (!d) return d;
    for (const auto& c : d->changes) write(p, c, {now, actor});
    return d;
}

void ledger_book::write(page& p, const pipeline::change& c, ledger_tables::stamp by) {
    const auto number = [&](const pipeline::promotion_id& id) {
        if (id.pipeline != p.pipeline) {
            throw std::logic_error("a decision for " + p.pipeline.text() + " changes " + id.text());
        }
        return environment_of(p, id.environment);
    };
    const overloaded to_tables{
        [&](const pipeline::set_slot& s) {
            tables_.put_slot(environment_of(p, s.environment), s.target, s.slot);
        },
        [&](const pipeline::clear_slot& s) {
            tables_.clear_slot(environment_of(p, s.environment), s.target);
        },
        [&](const pipeline::set_current& s) {
            tables_.put_current(environment_of(p, s.environment), s.facts);
        },
        [&](const pipeline::open_promotion& o) {
            const auto& id = o.promotion.id;
            const auto environment = number(id);
            // The record names only the newest attempt of a revision.
            for (const auto& a : p.records[id.environment].attempts) {
                if (a.id.revision == id.revision && a.id.kind == id.kind) {
                    tables_.forget(environment, a.id);
                }
            }
            const auto seq = next_promotion_++;
            if (const auto before = tables_.open(environment, seq, o.promotion, by)) {
                changes_.promotions.push_back({*before, /*opened=*/false, /*ended=*/true});
            }
            changes_.promotions.push_back({seq, /*opened=*/true, /*ended=*/false});
            if (!waits_for_a_person(o.promotion.state)) changes_.work = true;
        },
        [&](const pipeline::transition& t) {
            const auto* before = pipeline::find_attempt(p.records, t.id);
            const auto seq = tables_.move(number(t.id), t, by);
            if (!seq) throw never_opened(t.id);
            changes_.promotions.push_back({*seq, /*opened=*/false, is_over(t.to)});
            const bool waited = before != nullptr && waits_for_a_person(before->state);
            if (!waited || t.to != pipeline::promotion_state::superseded) changes_.work = true;
        },
        [&](const pipeline::set_work& w) {
            const auto seq = tables_.put_work(number(w.id), w.id, w.work);
            if (!seq) throw never_opened(w.id);
            changes_.promotions.push_back({*seq, /*opened=*/false, /*ended=*/false});
        },
        [&](const pipeline::forget_attempt& f) { tables_.forget(number(f.id), f.id); },
    };
    std::visit(to_tables, c);
    pipeline::apply(p.records, c);
}

ledger_book::page& ledger_book::page_of(const pipeline::object_name& pipeline) {
    auto& slot = pages_[pipeline.text()];
    if (!slot) {
        auto stored = loader_.load(pipeline);
        slot = std::make_unique<page>();
        slot->pipeline = pipeline;
        slot->environments = std::move(stored.environments);
        slot->records = std::move(stored.records);
    }
    if (!slot->touched) {
        slot->touched = true;
        touched_.push_back(slot.get());
    }
    return *slot;
}

std::int64_t ledger_book::environment_of(page& p, const std::string& environment) {
    const auto found = p.environments.find(environment);
    if (found != p.environments.end()) return found->second;
    const auto number = tables_.add_environment(p.pipeline, environment);
    p.environments.emplace(environment, number);
    return number;
}

digest_cache::place_ptr ledger_book::place_of(page& p, const std::string& environment) {
    auto& place = p.places[environment];
    if (!place) {
        place =
            std::make_shared<const digest_cache::place>(digest_cache::place{p.pipeline, environment}
            );
    }
    return place;
}

std::optional<home::recollection> ledger_book::seen_before(const home::submission& s) const {
    const auto here = fresh_by_key_.find(digest_key{s.pipeline, s.digest});
    if (here != fresh_by_key_.end()) {
        const auto& first = fresh_[here->second];
        return home::recollection{first.where->environment, first.signed_at, first.answer};
    }
    return digests_.find(s.pipeline, s.digest);
}

ledger_book::changes ledger_book::committed(time_point now) {
    for (auto* p : touched_) p->touched = false;
    touched_.clear();
    for (auto& item : fresh_) digests_.add(std::move(item), now);
    fresh_.clear();
    fresh_by_key_.clear();
    return std::exchange(changes_, {});
}

void ledger_book::rolled_back() {
    for (const auto* p : touched_) pages_.erase(p->pipeline.text());
    touched_.clear();
    fresh_.clear();
    fresh_by_key_.clear();
    changes_ = {};
}

} // namespace sluice::embedded
