#pragma once

#include "embedded/sqlite.hpp"
#include "observe/metrics.hpp"

namespace sluice::embedded {

struct ledger_metrics {
    explicit ledger_metrics(observe::registry& registry);

    observe::histogram& latency; // from the call to the durable answer
    observe::histogram& batch_size;
    observe::gauge& queue_depth;
    observe::gauge& wal_bytes;
    observe::histogram& checkpoint;
    [[nodiscard]] observe::counter& failures(sqlite::trouble t);

private:
    observe::registry& registry_;
};

} // namespace sluice::embedded
