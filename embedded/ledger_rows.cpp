#include "embedded/ledger_rows.hpp"

namespace sluice::embedded {

pipeline::revision_facts facts_at(const sqlite::statement::cursor& row, int first) {
    pipeline::revision_facts facts;
    facts.revision = row.text(first);
    facts.app_version = row.text(first + 1);
    facts.digest = row.text(first + 2);
    facts.image = row.text(first + 3);
    facts.tag = row.text(first + 4);
    return facts;
}

pipeline::promotion_state state_at(const sqlite::statement::cursor& row, int column) {
    const auto state = pipeline::parse_promotion_state(row.text(column));
    if (!state) {
        throw sqlite::failure(
            SQLITE_CORRUPT,
            "the ledger holds a promotion in the unknown state '" + row.string(column) + "'"
        );
    }
    return *state;
}

} // namespace sluice::embedded
