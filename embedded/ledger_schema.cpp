#include "embedded/ledger_schema.hpp"

#include <fmt/format.h>

#include <array>

namespace sluice::embedded {
namespace {

// Rows and pages touched per event decide how many events a second the ledger takes:
// - (pipeline, environment) is interned; what is appended costs a fraction of a page;
// - the present state of a promotion is its row; `history` has only the states it has left;
// - no index on digests: they are recalled from memory (digest_cache).
constexpr const char* first_schema = R"sql(
CREATE TABLE environments (
    id INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    pipeline TEXT NOT NULL,
    name TEXT NOT NULL,
    current_revision TEXT,          -- last deployed, else last merged
    current_app_version TEXT,
    current_digest TEXT,
    current_image TEXT,
    current_tag TEXT,
    has_current INTEGER NOT NULL DEFAULT 0,
    UNIQUE (namespace, pipeline, name)
);
CREATE TABLE slots (
    environment INTEGER NOT NULL,
    target TEXT NOT NULL,
    revision TEXT,
    app_version TEXT,
    digest TEXT,
    image TEXT,
    tag TEXT,
    verdict INTEGER NOT NULL,       -- ledger_codes
    tested INTEGER NOT NULL,
    signed_at INTEGER NOT NULL,     -- all times: milliseconds since 1970, UTC
    PRIMARY KEY (environment, target)
) WITHOUT ROWID;
CREATE TABLE observations (
    id INTEGER PRIMARY KEY,
    environment INTEGER NOT NULL,   -- the one the event speaks of
    digest BLOB NOT NULL,           -- SHA-256 of the signed bytes
    received_at INTEGER NOT NULL,
    signed_at INTEGER NOT NULL,
    source INTEGER NOT NULL,        -- ledger_codes
    verdict INTEGER NOT NULL,       -- ledger_codes
    tested INTEGER NOT NULL,
    cluster TEXT,
    revision TEXT,
    app_version TEXT,
    revision_digest TEXT,
    image TEXT,
    tag TEXT,
    event_reason TEXT,
    message TEXT,
    url TEXT,
    decision INTEGER NOT NULL,      -- ledger_codes
    reason TEXT,
    promotion TEXT                  -- promotion_id::text()
);
CREATE TABLE promotions (
    environment INTEGER NOT NULL,   -- where it goes
    revision TEXT NOT NULL,
    kind INTEGER NOT NULL,          -- ledger_codes
    attempt INTEGER NOT NULL,
    seq INTEGER NOT NULL,           -- order of creation
    remembered INTEGER NOT NULL,    -- in the environment's record: never trimmed
    state TEXT NOT NULL,
    reason TEXT,
    message TEXT,
    actor TEXT,                     -- who brought it into this state
    full_revision TEXT,
    app_version TEXT,
    digest TEXT,
    image TEXT,
    tag TEXT,
    from_environment TEXT,
    first_evidence INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    retry_at INTEGER,
    PRIMARY KEY (environment, revision, kind, attempt)
) WITHOUT ROWID;
CREATE UNIQUE INDEX promotions_by_age ON promotions (seq);
CREATE TABLE history (
    id INTEGER PRIMARY KEY,
    promotion INTEGER NOT NULL,     -- its seq
    at INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    message TEXT,
    actor TEXT
);
CREATE INDEX history_by_promotion ON history (promotion);
)sql";

// What the executor did lies apart, so that a row the event path writes stays as short as it was.
constexpr const char* second_schema = R"sql(
ALTER TABLE promotions ADD COLUMN url TEXT;
CREATE TABLE work (
    promotion INTEGER PRIMARY KEY,  -- its seq
    repository TEXT,
    base_branch TEXT,
    branch TEXT,
    base_commit TEXT,
    commit_id TEXT,
    replaced TEXT,
    failures INTEGER NOT NULL,
    pull_request_url TEXT,
    pull_request_number INTEGER,
    pull_request_state TEXT,        -- NULL: there is none
    pull_request_head TEXT
);
CREATE INDEX work_open ON work (promotion) WHERE pull_request_state = 'open';
)sql";

// A promotion's place is its age: a new row is appended, and of what grows with the ledger an event touches only one page, of
// the index. Clustered by environment, as they were, each took a page of its own and moved its neighbours.
constexpr const char* third_schema = R"sql(
CREATE TABLE promotions_by_age_ (
    seq INTEGER PRIMARY KEY,        -- order of creation
    environment INTEGER NOT NULL,   -- where it goes
    revision TEXT NOT NULL,
    kind INTEGER NOT NULL,          -- ledger_codes
    attempt INTEGER NOT NULL,
    remembered INTEGER NOT NULL,    -- in the environment's record: never trimmed
    state TEXT NOT NULL,
    reason TEXT,
    message TEXT,
    actor TEXT,                     -- who brought it into this state
    full_revision TEXT,
    app_version TEXT,
    digest TEXT,
    image TEXT,
    tag TEXT,
    from_environment TEXT,
    first_evidence INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    retry_at INTEGER,
    url TEXT,
    states_left INTEGER NOT NULL    -- no nth of its history is higher
);
INSERT INTO promotions_by_age_ SELECT seq, environment, revision, kind, attempt, remembered, state, reason, message, actor,
    full_revision, app_version, digest, image, tag, from_environment, first_evidence, created_at, updated_at, retry_at, url,
    (SELECT coalesce(max(id), 0) FROM history WHERE promotion = seq)
    FROM promotions ORDER BY seq;
DROP TABLE promotions;
ALTER TABLE promotions_by_age_ RENAME TO promotions;
CREATE UNIQUE INDEX promotions_by_name ON promotions (environment, revision, kind, attempt);
CREATE INDEX promotions_remembered ON promotions (environment) WHERE remembered = 1;

CREATE TABLE history_by_promotion_ (
    promotion INTEGER NOT NULL,     -- its seq
    nth INTEGER NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    message TEXT,
    actor TEXT,
    PRIMARY KEY (promotion, nth)
) WITHOUT ROWID;
INSERT INTO history_by_promotion_ SELECT promotion, id, at, state, reason, message, actor FROM history ORDER BY promotion, id;
DROP TABLE history;
ALTER TABLE history_by_promotion_ RENAME TO history;
)sql";

// Never edit one that was released: add the next.
constexpr std::array migrations{first_schema, second_schema, third_schema};

// "Sluic": files of other programs are not touched.
constexpr std::int64_t application_id = 0x536c7563;

outcome not_a_ledger() {
    return error(
        errc::conflict,
        "the file is an SQLite database of another program; give another state folder"
    );
}

outcome too_new(std::int64_t found) {
    return error(
        errc::conflict,
        fmt::format(
            "the ledger has schema {}, this program knows up to {}; run the newer sluice, or "
            "restore "
            "the state folder saved before the upgrade",
            found,
            ledger_schema_version()
        )
    );
}

} // namespace

int ledger_schema_version() noexcept {
    return static_cast<int>(migrations.size());
}

void set_up_writer(sqlite::connection& db, const ledger_options& options) {
    // Closing must not checkpoint by itself: after a failed fsync only the next start may.
    sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    // Room for what the statements of a batch hold at once, so that they seldom ask malloc.
    sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_LOOKASIDE, nullptr, 1'200, 400);
    db.execute("PRAGMA journal_mode=WAL");
    db.execute("PRAGMA synchronous=FULL");
    db.execute("PRAGMA wal_autocheckpoint=0");
    db.execute("PRAGMA temp_store=MEMORY");
    db.execute(fmt::format("PRAGMA cache_size=-{}", options.page_cache >> 10).c_str());
}

outcome migrate(sqlite::connection& db) {
    const auto found = db.integer("PRAGMA user_version");
    if (found > ledger_schema_version()) return too_new(found);
    const bool empty = db.integer("SELECT count(*) FROM sqlite_schema") == 0;
    if (!empty && db.integer("PRAGMA application_id") != application_id) return not_a_ledger();
    for (auto version = found; version < ledger_schema_version(); ++version) {
        sqlite::transaction step{db};
        db.execute(migrations[static_cast<std::size_t>(version)]);
        db.execute(fmt::format("PRAGMA application_id={}", application_id).c_str());
        db.execute(fmt::format("PRAGMA user_version={}", version + 1).c_str());
        step.commit();
    }
    return {};
}

outcome check_schema(sqlite::connection& db) {
    if (db.integer("PRAGMA application_id") != application_id) return not_a_ledger();
    const auto found = db.integer("PRAGMA user_version");
    if (found > ledger_schema_version()) return too_new(found);
    if (found < ledger_schema_version()) {
        return error(
            errc::conflict,
            fmt::format(
                "the ledger has the older schema {}; start sluice serve once to bring it up", found
            )
        );
    }
    return {};
}

} // namespace sluice::embedded
