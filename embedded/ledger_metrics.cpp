#include "embedded/ledger_metrics.hpp"

namespace sluice::embedded {

ledger_metrics::ledger_metrics(observe::registry& registry)
    : latency(registry.histogram(
          "sluice_ledger_accept_seconds",
          "From the request to its durable answer",
          observe::latency_bounds()
      )),
      batch_size(registry.histogram(
          "sluice_ledger_batch_size",
          "Requests that shared one commit",
          {1, 2, 4, 8, 16, 32, 64, 128, 256}
      )),
      queue_depth(registry.gauge("sluice_ledger_queue_depth", "Requests waiting for the writer")),
      wal_bytes(registry.gauge("sluice_ledger_wal_bytes", "Size in use of the write-ahead log")),
      checkpoint(registry.histogram(
          "sluice_ledger_checkpoint_seconds",
          "Duration of copying the write-ahead log into the database",
          observe::latency_bounds()
      )),
      registry_(registry) {
    // Each kind is there from the start, so that an alert on its rate sees the first one.
    for (const auto t :
         {sqlite::trouble::full, sqlite::trouble::fsync, sqlite::trouble::io, sqlite::trouble::other
         }) {
        (void)failures(t);
    }
}

observe::counter& ledger_metrics::failures(sqlite::trouble t) {
    return registry_.counter(
        "sluice_ledger_failures_total",
        "Commits and checkpoints that failed, by kind",
        {{"kind", std::string{to_string(t)}}}
    );
}

} // namespace sluice::embedded
