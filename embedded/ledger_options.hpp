#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::embedded {

// How long the past is kept. Environment records and the attempts in them are never trimmed.
struct retention_options {
    std::chrono::hours observations_for{24 * 30};
    std::int64_t observations_at_most = 2'000'000;
    std::chrono::hours promotions_for{24 * 180}; // since they ended, with their history
    std::int64_t promotions_at_most = 1'000'000;
    std::chrono::milliseconds every{100}; // one step per so long while there is something to trim
    int step = 1'000;                     // rows looked at in a step: a few milliseconds at most
};

struct ledger_options {
    // One transaction. More gains little throughput and costs everybody in it latency.
    std::size_t batch_limit = 256;
    // While several senders are busy, a commit waits until `enough` requests are there, none came for `quiet`, or the last
    // one is `gather` ago: in a commit of two an event costs twice the CPU it does in one of eight. A lone sender never waits.
    std::size_t enough = 16;
    std::chrono::microseconds quiet{5'000};
    std::chrono::microseconds gather{20'000};
    // Waiting requests; beyond it accept() answers errc::unavailable at once.
    std::size_t queue_limit = 4'096;
    // Flux tries again after 2 s: who waited that long is told to.
    std::chrono::milliseconds slow_after{2'000};
    // A writer at work for longer than this makes health() fail.
    std::chrono::milliseconds wedged_after{10'000};

    // WAL bytes after which the checkpointer copies in the background: the longer it waits, the more often a page that many
    // commits wrote is copied once.
    std::int64_t checkpoint_after = 32LL << 20;
    // WAL bytes at which the log starts again from its beginning, for the price of one short pause.
    std::int64_t wal_limit = 64LL << 20;
    // SQLite 3.40 walks all of it in every commit that moved rows between pages; so it holds what is hot, and no more.
    std::int64_t page_cache = 16LL << 20;

    // How long a start waits for others who read the ledger to let go of its log.
    std::chrono::milliseconds settle_within{10'000};

    // Digests are remembered while their event could still be accepted.
    std::chrono::milliseconds freshness{std::chrono::minutes{10}};
    // About 300 bytes each. Beyond it the oldest go, and a repeat of one is settled by its slot instead of by its digest.
    std::size_t recall_limit = 250'000;

    retention_options retention;
    std::string vfs; // SQLite's VFS; empty: the default
};

} // namespace sluice::embedded
