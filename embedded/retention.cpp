#include "embedded/retention.hpp"

#include "embedded/ledger_codes.hpp"
#include "embedded/ledger_rows.hpp"

#include <vector>

namespace sluice::embedded {

retention::retention(sqlite::connection& db, const retention_options& options)
    : options_(options), db_(db),
      // Ids are in the order of arrival, so only the front is ever looked at.
      trim_observations_(
          db,
          "DELETE FROM observations WHERE id IN (SELECT id FROM observations ORDER BY id LIMIT ?1) "
          "AND "
          "(id <= (SELECT max(id) FROM observations) - ?2 OR received_at < ?3)"
      ),
      oldest_promotions_(
          db,
          "SELECT seq, state, remembered, created_at, updated_at, "
          "(SELECT max(seq) FROM promotions) FROM promotions WHERE seq > ? ORDER BY seq LIMIT ?"
      ),
      drop_promotion_(db, "DELETE FROM promotions WHERE seq = ?"),
      drop_history_(db, "DELETE FROM history WHERE promotion = ?"),
      drop_work_(db, "DELETE FROM work WHERE promotion = ?") {}

bool retention::step(time_point now) {
    sqlite::transaction t{db_};
    const bool more_observations = trim_observations(now);
    const bool more_promotions = trim_promotions(now);
    t.commit();
    return more_observations || more_promotions;
}

bool retention::trim_observations(time_point now) {
    trim_observations_.run(
        options_.step, options_.observations_at_most, to_code(now - options_.observations_for)
    );
    return db_.changes() == options_.step;
}

bool retention::trim_promotions(time_point now) {
    std::vector<std::int64_t> past;
    const auto too_old = now - options_.promotions_for;
    bool end = true;
    int seen = 0;
    for (auto found = oldest_promotions_.query(looked_at_, options_.step); found.next(); ++seen) {
        const auto seq = found.integer(0);
        const bool too_many = seq <= found.integer(5) - options_.promotions_at_most;
        end = !too_many && time_of(found.integer(3)) >= too_old; // all that follow are younger
        if (end) break;
        looked_at_ = seq;
        const bool kept = found.integer(2) != 0 || !has_ended(state_at(found, 1));
        if (!kept && (too_many || time_of(found.integer(4)) < too_old)) past.push_back(seq);
    }
    for (const auto seq : past) {
        drop_history_.run(seq);
        drop_work_.run(seq);
        drop_promotion_.run(seq);
    }
    end = end || seen < options_.step;
    if (end) looked_at_ = 0;
    return !end;
}

} // namespace sluice::embedded
