#pragma once

#include "embedded/digest_cache.hpp"
#include "embedded/ledger_tables.hpp"
#include "embedded/record_loader.hpp"
#include "embedded/touched_promotions.hpp"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace sluice::embedded {

// The environment records in memory and in the file, kept the same. Used by one thread, inside an open transaction that
// ends with committed() or rolled_back(). Records are read when a pipeline is first spoken of.
class ledger_book {
public:
    ledger_book(sqlite::connection& db, digest_cache& digests);

    // The same bytes are decided once, also twice in one batch. A decide that throws is an error value and leaves nothing. A throw
    // from here means that half of it may be written: the transaction must be rolled back.
    [[nodiscard]] result<home::acceptance>
    accept(const home::submission& s, const home::decide_fn& decide);
    [[nodiscard]] result<pipeline::decision> change(
        const pipeline::object_name& pipeline,
        const std::string& actor,
        const home::change_fn& decide,
        time_point now
    );

    struct changes {
        std::vector<touch> promotions;
        bool work = false; // for the executor: more than promotions that wait for a person
    };
    changes committed(time_point now);
    void rolled_back();

private:
    struct page {
        pipeline::object_name pipeline;
        std::map<std::string, std::int64_t, std::less<>> environments;
        std::map<std::string, digest_cache::place_ptr, std::less<>> places;
        pipeline::pipeline_records records;
        bool touched = false; // by the transaction in progress
    };

    [[nodiscard]] page& page_of(const pipeline::object_name& pipeline);
    [[nodiscard]] std::int64_t environment_of(page& p, const std::string& environment);
    [[nodiscard]] digest_cache::place_ptr place_of(page& p, const std::string& environment);
    [[nodiscard]] std::optional<home::recollection> seen_before(const home::submission& s) const;
    void write(page& p, const pipeline::change& c, ledger_tables::stamp by);

    ledger_tables tables_;
    record_loader loader_;
    digest_cache& digests_;
    std::int64_t next_promotion_;
    std::unordered_map<std::string, std::unique_ptr<page>> pages_;
    std::vector<page*> touched_;
    changes changes_;                       // of this transaction
    std::vector<digest_cache::item> fresh_; // accepted in this transaction, not yet durable
    std::unordered_map<digest_key, std::size_t, digest_key_hash> fresh_by_key_;
};

} // namespace sluice::embedded
