#pragma once

#include "base/clock.hpp"
#include "embedded/ledger_options.hpp"
#include "embedded/sqlite.hpp"

namespace sluice::embedded {

// Trims the past in small steps, each a transaction of its own between two batches. What an environment record names, and
// what has not ended, stays whatever its age.
class retention {
public:
    retention(sqlite::connection& db, const retention_options& options);

    // True when there may be more to trim.
    [[nodiscard]] bool step(time_point now);

private:
    [[nodiscard]] bool trim_observations(time_point now);
    [[nodiscard]] bool trim_promotions(time_point now);

    const retention_options options_;
    sqlite::connection& db_;
    sqlite::statement trim_observations_;
    sqlite::statement oldest_promotions_;
    sqlite::statement drop_promotion_;
    sqlite::statement drop_history_;
    sqlite::statement drop_work_;
    std::int64_t looked_at_ = 0; // seq of the last promotion this round has seen
};

} // namespace sluice::embedded
