// What the ledger's own SQL reaches alone, in a loop, at a given batch size: the peer of `make bench`.
//   ledger_loop FOLDER [batch=64] [events=200000] [pipelines=1000]        the loop: no queue, no threads, no HTTP
//   ledger_loop FOLDER clients=64 [events=…] [pipelines=…]                the same events through accept(), two loops
#include "embedded/digest_cache.hpp"
#include "embedded/ledger_book.hpp"
#include "embedded/ledger_schema.hpp"
#include "embedded/sqlite_ledger.hpp"
#include "tests/home/ledger_events.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace sluice::bench {
namespace {

using steady = std::chrono::steady_clock;

struct settings {
    std::filesystem::path database;
    std::size_t batch = 64;
    std::size_t clients = 0;
    std::size_t events = 200'000;
    std::size_t pipelines = 1'000;
};

// Distinct events over all pipelines; each supersedes the one that waited in its pipeline.
std::vector<home::submission> make_events(const settings& s, std::uint64_t first, time_point now) {
    std::vector<home::submission> events;
    events.reserve(s.events);
    for (std::uint64_t i = first; i < first + s.events; ++i) {
        const auto which = (i * 2'654'435'761U) % s.pipelines; // not in the order of the pages
        auto e = tests::healthy(
            "6." + std::to_string(i / s.pipelines) + "." + std::to_string(i % s.pipelines),
            i,
            now,
            {"default", "podinfo-" + std::to_string(which)}
        );
        e.event.message =
            "Helm upgrade succeeded for release podinfo/podinfo.v12 with chart podinfo@" +
            e.event.facts.revision;
        events.push_back(std::move(e));
    }
    return events;
}

void print(const char* what, const settings& s, steady::duration took, std::vector<double>& ms) {
    std::ranges::sort(ms);
    const auto at = [&](double q) {
        return ms.empty() ? 0.0
                          : ms[static_cast<std::size_t>(q * static_cast<double>(ms.size() - 1))];
    };
    const double seconds = std::chrono::duration<double>(took).count();
    std::printf(
        "{\"what\":\"%s\",\"batch\":%zu,\"events\":%zu,\"events_per_s\":%.0f,\"p50_ms\":%.3f,"
        "\"p99_ms\":%.3f,\"max_ms\":%.3f}\n",
        what,
        s.clients > 0 ? s.clients : s.batch,
        s.events,
        static_cast<double>(s.events) / seconds,
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

double milliseconds_since(steady::time_point begin) {
    return std::chrono::duration<double, std::milli>(steady::now() - begin).count();
}

void run_loop(const settings& s) {
    const embedded::ledger_options options;
    observe::registry registry;
    embedded::ledger_metrics metrics{registry};
    embedded::sqlite::connection db{s.database.string(), embedded::sqlite::access::read_write};
    embedded::set_up_writer(db, options);
    if (!embedded::migrate(db)) std::abort();
    std::int64_t wal_bytes = 0;
    sqlite3_wal_hook(
        db.handle(),
        [](void* bytes, sqlite3*, const char*, int frames) {
            *static_cast<std::int64_t*>(bytes) = std::int64_t{frames} * 4'120;
            return SQLITE_OK;
        },
        &wal_bytes
    );
    embedded::digest_cache digests{options.recall_limit, options.freshness};
    embedded::ledger_book book{db, digests};
    embedded::checkpointer checkpoints{s.database.string(), options, metrics, [](const auto&) {
                                           std::abort();
                                       }};
    const auto now = system_clock{}.now();
    const auto first = static_cast<std::uint64_t>(db.integer("SELECT count(*) FROM observations"));
    const auto events = make_events(s, first, now);
    std::vector<double> commits;
    const auto begin = steady::now();
    for (std::size_t at = 0; at < events.size();) {
        const auto batch_began = steady::now();
        embedded::sqlite::transaction all{db};
        for (std::size_t i = 0; i < s.batch && at < events.size(); ++i, ++at) {
            if (!book.accept(events[at], tests::park(events[at]))) std::abort();
        }
        all.commit();
        book.committed(now);
        checkpoints.committed(db, wal_bytes);
        commits.push_back(milliseconds_since(batch_began));
    }
    print("loop", s, steady::now() - begin, commits);
}

boost::asio::awaitable<void> client(
    home::ledger& ledger,
    const std::vector<home::submission>& events,
    std::atomic<std::size_t>& next,
    std::vector<double>& latencies
) {
    for (auto at = next++; at < events.size(); at = next++) {
        auto event = events[at];
        auto decide = tests::park(event);
        const auto begin = steady::now();
        auto answer = co_await ledger.accept(std::move(event), std::move(decide));
        if (!answer) std::abort();
        latencies.push_back(milliseconds_since(begin));
    }
}

void run_clients(const settings& s) {
    const system_clock clock;
    observe::registry registry;
    constexpr std::size_t loops_count = 2;
    boost::asio::io_context loops[loops_count];
    const auto opening = steady::now();
    auto ledger = embedded::sqlite_ledger::open(s.database, {}, clock, registry, [](const auto&) {
        std::abort();
    });
    if (!ledger) std::abort();
    std::printf("opened in %.0f ms\n", milliseconds_since(opening));
    const auto listed = static_cast<std::uint64_t>(clock.now().time_since_epoch().count());
    const auto events = make_events(s, listed, clock.now());
    std::atomic<std::size_t> next{0};
    std::vector<double> latencies[loops_count];
    for (std::size_t i = 0; i < s.clients; ++i) {
        const auto l = i % loops_count;
        auto task = client(**ledger, events, next, latencies[l]);
        boost::asio::co_spawn(loops[l], std::move(task), boost::asio::detached);
    }
    const auto begin = steady::now();
    std::thread other{[&] { loops[1].run(); }};
    loops[0].run();
    other.join();
    const auto took = steady::now() - begin;
    latencies[0].insert(latencies[0].end(), latencies[1].begin(), latencies[1].end());
    print("clients", s, took, latencies[0]);
    std::fputs(registry.text().c_str(), stderr);
}

} // namespace
} // namespace sluice::bench

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs(
            "usage: ledger_loop FOLDER [batch=N | clients=N] [events=N] [pipelines=N]\n", stderr
        );
        return 2;
    }
    sluice::bench::settings s;
    s.database = std::filesystem::path{argv[1]} / "sluice.db";
    const std::map<std::string, std::size_t*, std::less<>> numbers{
        {"batch", &s.batch},
        {"clients", &s.clients},
        {"events", &s.events},
        {"pipelines", &s.pipelines}
    };
    for (int i = 2; i < argc; ++i) {
        const std::string text = argv[i];
        const auto equals = text.find('=');
        const auto found = numbers.find(text.substr(0, equals));
        if (equals == std::string::npos || found == numbers.end()) {
            std::fprintf(stderr, "ledger_loop: what is '%s'?\n", text.c_str());
            return 2;
        }
        *found->second = std::stoul(text.substr(equals + 1));
    }
    if (s.clients > 0) {
        sluice::bench::run_clients(s);
    } else {
        sluice::bench::run_loop(s);
    }
    return 0;
}
