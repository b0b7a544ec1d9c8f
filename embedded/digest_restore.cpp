#include "embedded/digest_restore.hpp"

#include "embedded/ledger_codes.hpp"

#include <algorithm>
#include <unordered_map>

namespace sluice::embedded {
namespace {

constexpr int enough_too_old = 10'000;

using places = std::unordered_map<std::int64_t, digest_cache::place_ptr>;

places all_places(sqlite::connection& db) {
    places found;
    sqlite::statement environments{db, "SELECT id, namespace, pipeline, name FROM environments"};
    for (auto row = environments.query(); row.next();) {
        digest_cache::place p{{row.string(1), row.string(2)}, row.string(3)};
        found.emplace(row.integer(0), std::make_shared<const digest_cache::place>(std::move(p)));
    }
    return found;
}

} // namespace

void restore_digests(
    sqlite::connection& db, digest_cache& into, const ledger_options& options, time_point now
) {
    const auto where = all_places(db);
    // An event may be signed one window ahead of its arrival, and stays fresh for one window after its signing.
    const auto edge = now - 2 * options.freshness;
    sqlite::statement newest{
        db,
        "SELECT environment, digest, received_at, signed_at, decision, reason, promotion "
        "FROM observations ORDER BY id DESC LIMIT ?"
    };
    // In a row: a clock that was set back and forth leaves a few between those that count.
    int too_old = 0;
    for (auto row = newest.query(options.recall_limit); row.next() && too_old < enough_too_old;) {
        too_old = time_of(row.integer(2)) < edge ? too_old + 1 : 0;
        if (too_old > 0) continue;
        const auto signed_at = time_of(row.integer(3));
        if (signed_at + options.freshness < now) continue;
        digest_cache::item item;
        item.where = where.at(row.integer(0));
        const auto digest = row.blob(1);
        std::copy_n(
            digest.begin(), std::min(digest.size(), item.digest.size()), item.digest.begin()
        );
        item.signed_at = signed_at;
        item.answer = {decision_of(row.integer(4)), row.string(5), row.string(6)};
        // Shards fill unevenly, so one that is full does not end it.
        (void)into.add_older(std::move(item));
    }
}

} // namespace sluice::embedded
