#pragma once

#include "embedded/sqlite.hpp"
#include "home/ledger.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::embedded {

// The ledger's writing statements, prepared once, in the words of the domain. Environments are named by their number.
class ledger_tables {
public:
    explicit ledger_tables(sqlite::connection& db);

    [[nodiscard]] std::int64_t
    add_environment(const pipeline::object_name& pipeline, const std::string& environment);
    [[nodiscard]] std::int64_t newest_promotion(); // the highest seq, or 0

    void
    observe(std::int64_t environment, const home::submission& s, const home::acceptance& answer);
    void put_slot(std::int64_t environment, const std::string& target, const pipeline::slot& s);
    void clear_slot(std::int64_t environment, const std::string& target);
    void put_current(std::int64_t environment, const pipeline::revision_facts& facts);

    struct stamp {
        time_point at;
        std::string_view actor;
    };
    // An identity that was opened and forgotten before is opened again, with its history, as the newest; then its place
    // until now is told.
    std::optional<std::int64_t>
    open(std::int64_t environment, std::int64_t seq, const pipeline::promotion& p, stamp by);
    // Its place; nothing when there is no such promotion.
    [[nodiscard]] std::optional<std::int64_t>
    move(std::int64_t environment, const pipeline::transition& t, stamp by);
    // Its place; nothing when there is no such promotion.
    [[nodiscard]] std::optional<std::int64_t> put_work(
        std::int64_t environment,
        const pipeline::promotion_id& id,
        const pipeline::promotion_work& w
    );
    void forget(std::int64_t environment, const pipeline::promotion_id& id);

private:
    // The seq of a promotion whose state of now has become history; nothing when there is no such promotion.
    [[nodiscard]] std::optional<std::int64_t> leave_state(
        std::int64_t environment, const pipeline::promotion_id& id, pipeline::promotion_state next
    );
    [[nodiscard]] std::optional<std::int64_t>
    reopen(std::int64_t environment, std::int64_t seq, const pipeline::promotion& p, stamp by);

    sqlite::connection& db_;
    sqlite::statement add_environment_;
    sqlite::statement newest_promotion_;
    sqlite::statement observe_;
    sqlite::statement put_slot_;
    sqlite::statement clear_slot_;
    sqlite::statement put_current_;
    sqlite::statement open_;
    sqlite::statement state_;
    sqlite::statement add_history_;
    sqlite::statement carry_history_;
    sqlite::statement reopen_;
    sqlite::statement move_;
    sqlite::statement put_work_;
    sqlite::statement drop_work_;
    sqlite::statement forget_;
};

} // namespace sluice::embedded
