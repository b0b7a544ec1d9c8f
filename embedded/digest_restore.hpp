#pragma once

#include "embedded/digest_cache.hpp"
#include "embedded/ledger_options.hpp"
#include "embedded/sqlite.hpp"

namespace sluice::embedded {

// Fills the cache at start from the newest observations back to the edge of the freshness window, however long the ledger is.
void restore_digests(
    sqlite::connection& db, digest_cache& into, const ledger_options& options, time_point now
);

} // namespace sluice::embedded
