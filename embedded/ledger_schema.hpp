#pragma once

#include "base/result.hpp"
#include "embedded/ledger_options.hpp"
#include "embedded/sqlite.hpp"

namespace sluice::embedded {

// The newest schema this program writes; kept in the file as user_version.
[[nodiscard]] int ledger_schema_version() noexcept;

// Per connection: durability, cache, no checkpoint by itself.
void set_up_writer(sqlite::connection& db, const ledger_options& options);

// A new file gets the schema, an older one is brought up step by step, a newer one is refused.
[[nodiscard]] outcome migrate(sqlite::connection& db);

// A reader cannot migrate: it refuses what is newer, and what is not a ledger.
[[nodiscard]] outcome check_schema(sqlite::connection& db);

} // namespace sluice::embedded
