#include "embedded/record_loader.hpp"

#include "embedded/ledger_codes.hpp"
#include "embedded/ledger_rows.hpp"

namespace sluice::embedded {

record_loader::record_loader(sqlite::connection& db)
    : environments_(
          db,
          "SELECT id, name, has_current, current_revision, current_app_version, current_digest, "
          "current_image, current_tag FROM environments WHERE namespace = ? AND pipeline = ?"
      ),
      slots_(
          db,
          "SELECT target, revision, app_version, digest, image, tag, verdict, tested, signed_at "
          "FROM slots WHERE environment = ?"
      ),
      // Only what is remembered: an environment may have seen thousands.
      attempts_(
          db,
          "SELECT revision, kind, attempt, full_revision, app_version, digest, image, tag, state, "
          "reason, first_evidence FROM promotions INDEXED BY promotions_remembered "
          "WHERE environment = ? AND remembered = 1 ORDER BY +seq"
      ) {}

stored_pipeline record_loader::load(const pipeline::object_name& pipeline) {
    stored_pipeline found;
    for (auto row = environments_.query(pipeline.ns, pipeline.name); row.next();) {
        const auto id = row.integer(0);
        const auto name = row.string(1);
        pipeline::environment_record record;
        if (row.integer(2) != 0) record.current = facts_at(row, 3);
        load_slots(id, record);
        pipeline::promotion_id prefix;
        prefix.pipeline = pipeline;
        prefix.environment = name;
        load_attempts(id, prefix, record);
        found.environments.emplace(name, id);
        if (record != pipeline::environment_record{})
            found.records.emplace(name, std::move(record));
    }
    return found;
}

void record_loader::load_slots(std::int64_t environment, pipeline::environment_record& into) {
    for (auto row = slots_.query(environment); row.next();) {
        pipeline::slot slot;
        slot.facts = facts_at(row, 1);
        slot.verdict = verdict_of(row.integer(6));
        slot.tested = row.integer(7) != 0;
        slot.signed_at = time_of(row.integer(8));
        into.slots.emplace(row.string(0), std::move(slot));
    }
}

void record_loader::load_attempts(
    std::int64_t environment,
    const pipeline::promotion_id& prefix,
    pipeline::environment_record& into
) {
    for (auto row = attempts_.query(environment); row.next();) {
        pipeline::attempt a;
        a.id = prefix;
        a.id.revision = row.string(0);
        a.id.kind = kind_of(row.integer(1));
        a.id.attempt = static_cast<int>(row.integer(2));
        a.facts = facts_at(row, 3);
        a.state = state_at(row, 8);
        a.reason = row.text(9);
        a.first_evidence = time_of(row.integer(10));
        into.attempts.push_back(std::move(a));
    }
}

} // namespace sluice::embedded
