#pragma once

#include "embedded/sqlite.hpp"
#include "home/ledger.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace sluice::embedded {

struct stored_pipeline {
    std::map<std::string, std::int64_t, std::less<>> environments; // their numbers
    pipeline::pipeline_records records; // of environments about which something is known
};

// Reads the environment records of one pipeline. Several statements: the caller holds a transaction.
class record_loader {
public:
    explicit record_loader(sqlite::connection& db);
    [[nodiscard]] stored_pipeline load(const pipeline::object_name& pipeline);

private:
    void load_slots(std::int64_t environment, pipeline::environment_record& into);
    void load_attempts(
        std::int64_t environment,
        const pipeline::promotion_id& prefix,
        pipeline::environment_record& into
    );

    sqlite::statement environments_;
    sqlite::statement slots_;
    sqlite::statement attempts_;
};

} // namespace sluice::embedded
