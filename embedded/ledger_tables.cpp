#include "embedded/ledger_tables.hpp"

#include "embedded/ledger_codes.hpp"

namespace sluice::embedded {
namespace {

constexpr std::string_view this_promotion =
    "environment = ?1 AND revision = ?2 AND kind = ?3 AND attempt = ?4";

std::string where_this(std::string_view before) {
    return std::string{before} + " WHERE " + std::string{this_promotion};
}

std::optional<std::int64_t> code_of(const std::optional<time_point>& t) {
    if (!t) return std::nullopt;
    return to_code(*t);
}

} // namespace

ledger_tables::ledger_tables(sqlite::connection& db)
    : db_(db),
      add_environment_(db, "INSERT INTO environments (namespace, pipeline, name) VALUES (?, ?, ?)"),
      newest_promotion_(db, "SELECT coalesce(max(seq), 0) FROM promotions"),
      observe_(
          db,
          "INSERT INTO observations (environment, digest, received_at, signed_at, source, verdict, "
          "tested, cluster, revision, app_version, revision_digest, image, tag, event_reason, "
          "message, "
          "url, decision, reason, promotion) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
          "?, ?, "
          "?, ?)"
      ),
      put_slot_(
          db,
          "INSERT OR REPLACE INTO slots (environment, target, revision, app_version, digest, "
          "image, "
          "tag, verdict, tested, signed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
      ),
      clear_slot_(db, "DELETE FROM slots WHERE environment = ? AND target = ?"),
      put_current_(
          db,
          "UPDATE environments SET has_current = 1, current_revision = ?2, current_app_version = "
          "?3, "
          "current_digest = ?4, current_image = ?5, current_tag = ?6 WHERE id = ?1"
      ),
      open_(
          db,
          "INSERT INTO promotions (environment, revision, kind, attempt, seq, remembered, state, "
          "reason, message, actor, full_revision, app_version, digest, image, tag, "
          "from_environment, "
          "first_evidence, created_at, updated_at, retry_at, url, states_left) VALUES (?, ?, ?, ?, "
          "?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (environment, "
          "revision, kind, attempt) DO "
          "NOTHING"
      ),
      // SQLite would keep the rows of an INSERT … SELECT in a table of their own first: three times the price of both.
      state_(
          db,
          where_this("SELECT seq, states_left, updated_at, state, reason, message, actor, retry_at "
                     "FROM promotions")
      ),
      add_history_(
          db,
          "INSERT INTO history (promotion, nth, at, state, reason, message, actor) "
          "VALUES (?, ?, ?, ?, ?, ?, ?)"
      ),
      carry_history_(db, "UPDATE history SET promotion = ?2 WHERE promotion = ?1"),
      reopen_(
          db,
          "UPDATE promotions SET remembered = 1, state = ?2, reason = ?3, message = ?4, actor = "
          "?5, "
          "full_revision = ?6, app_version = ?7, digest = ?8, image = ?9, tag = ?10, "
          "from_environment = ?11, first_evidence = ?12, updated_at = ?13, retry_at = ?14, seq = "
          "?15, url = ?16, states_left = states_left + 1 WHERE seq = ?1"
      ),
      move_(
          db,
          "UPDATE promotions SET state = ?2, reason = ?3, message = ?4, actor = ?5, "
          "updated_at = ?6, retry_at = ?7, states_left = states_left + 1 WHERE seq = ?1"
      ),
      put_work_(
          db,
          where_this("INSERT OR REPLACE INTO work (promotion, repository, base_branch, branch, "
                     "base_commit, commit_id, replaced, failures, pull_request_url, "
                     "pull_request_number, pull_request_state, pull_request_head) "
                     "SELECT seq, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15 FROM promotions")
      ),
      drop_work_(
          db, where_this("DELETE FROM work WHERE promotion = (SELECT seq FROM promotions") + ")"
      ),
      forget_(db, where_this("UPDATE promotions SET remembered = 0")) {}

std::int64_t ledger_tables::add_environment(
    const pipeline::object_name& pipeline, const std::string& environment
) {
    add_environment_.run(pipeline.ns, pipeline.name, environment);
    return db_.last_row();
}

std::int64_t ledger_tables::newest_promotion() {
    auto row = newest_promotion_.query();
    return row.next() ? row.integer(0) : 0;
}

void ledger_tables::observe(
    std::int64_t environment, const home::submission& s, const home::acceptance& answer
) {
    const auto& e = *s.event;
    observe_.run(
        environment,
        sqlite::blob{s.digest},
        to_code(s.received_at),
        to_code(e.signed_at),
        to_code(e.source),
        to_code(e.verdict),
        e.tested,
        e.cluster,
        e.facts.revision,
        e.facts.app_version,
        e.facts.digest,
        e.facts.image,
        e.facts.tag,
        e.reason,
        e.message,
        e.url,
        to_code(answer.what),
        answer.reason,
        answer.promotion
    );
}

void ledger_tables::put_slot(
    std::int64_t environment, const std::string& target, const pipeline::slot& s
) {
    put_slot_.run(
        environment,
        target,
        s.facts.revision,
        s.facts.app_version,
        s.facts.digest,
        s.facts.image,
        s.facts.tag,
        to_code(s.verdict),
        s.tested,
        to_code(s.signed_at)
    );
}

void ledger_tables::clear_slot(std::int64_t environment, const std::string& target) {
    clear_slot_.run(environment, target);
}

void ledger_tables::put_current(std::int64_t environment, const pipeline::revision_facts& facts) {
    put_current_.run(
        environment, facts.revision, facts.app_version, facts.digest, facts.image, facts.tag
    );
}

std::optional<std::int64_t> ledger_tables::open(
    std::int64_t environment, std::int64_t seq, const pipeline::promotion& p, stamp by
) {
    open_.run(
        environment,
        p.id.revision,
        to_code(p.id.kind),
        p.id.attempt,
        seq,
        to_string(p.state),
        p.reason,
        p.message,
        by.actor,
        p.facts.revision,
        p.facts.app_version,
        p.facts.digest,
        p.facts.image,
        p.facts.tag,
        p.from_environment,
        to_code(p.first_evidence),
        to_code(by.at),
        to_code(by.at),
        code_of(p.retry_at),
        p.url
    );
    std::optional<std::int64_t> before;
    if (db_.changes() == 0) before = reopen(environment, seq, p, by);
    if (p.work != pipeline::promotion_work{}) (void)put_work(environment, p.id, p.work);
    return before;
}

std::optional<std::int64_t> ledger_tables::reopen(
    std::int64_t environment, std::int64_t seq, const pipeline::promotion& p, stamp by
) {
    // It begins anew: the pull request it had is no longer its own.
    drop_work_.run(environment, p.id.revision, to_code(p.id.kind), p.id.attempt);
    const auto before = leave_state(environment, p.id, p.state);
    carry_history_.run(before, seq);
    reopen_.run(
        before,
        to_string(p.state),
        p.reason,
        p.message,
        by.actor,
        p.facts.revision,
        p.facts.app_version,
        p.facts.digest,
        p.facts.image,
        p.facts.tag,
        p.from_environment,
        to_code(p.first_evidence),
        to_code(by.at),
        code_of(p.retry_at),
        seq,
        p.url
    );
    return before;
}

std::optional<std::int64_t> ledger_tables::leave_state(
    std::int64_t environment, const pipeline::promotion_id& id, pipeline::promotion_state next
) {
    auto row = state_.query(environment, id.revision, to_code(id.kind), id.attempt);
    if (!row.next()) return std::nullopt;
    const auto seq = row.integer(0);
    // Of the tries in one state the first is kept, and the last when the state is left.
    const bool tries_again = !row.is_null(7) && row.text(3) == to_string(next);
    if (!tries_again) {
        add_history_.run(
            seq,
            row.integer(1) + 1,
            row.integer(2),
            row.text(3),
            row.text(4),
            row.text(5),
            row.text(6)
        );
    }
    return seq;
}

std::optional<std::int64_t>
ledger_tables::move(std::int64_t environment, const pipeline::transition& t, stamp by) {
    const auto seq = leave_state(environment, t.id, t.to);
    if (!seq) return seq;
    move_.run(
        *seq, to_string(t.to), t.reason, t.message, by.actor, to_code(by.at), code_of(t.retry_at)
    );
    return seq;
}

std::optional<std::int64_t> ledger_tables::put_work(
    std::int64_t environment, const pipeline::promotion_id& id, const pipeline::promotion_work& w
) {
    const auto pr = w.pull_request.value_or(pipeline::pull_request{});
    put_work_.run(
        environment,
        id.revision,
        to_code(id.kind),
        id.attempt,
        w.repository,
        w.base_branch,
        w.branch,
        w.base_commit,
        w.commit,
        w.replaced,
        w.failures,
        pr.url,
        pr.number,
        w.pull_request ? to_string(pr.state) : std::string_view{},
        pr.head
    );
    if (db_.changes() == 0) return std::nullopt;
    return db_.last_row();
}

void ledger_tables::forget(std::int64_t environment, const pipeline::promotion_id& id) {
    forget_.run(environment, id.revision, to_code(id.kind), id.attempt);
}

} // namespace sluice::embedded
