// What the ledger's own SQL reaches alone, in a loop, at a given batch size: the peer of `make bench`.
//   ledger_loop STATE PIPELINES.yaml REQUESTS BATCH COUNT
// REQUESTS names what wrk sends to the server, so the rows are the same. Reading, matching and deciding are done before the clock
// runs; no queue, no threads, no HTTP.
#include "auth/digest.hpp"
#include "embedded/checkpointer.hpp"
#include "embedded/ledger_book.hpp"
#include "embedded/ledger_schema.hpp"
#include "embedded/pipeline_catalogue.hpp"
#include "pipeline/trigger.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::bench {
namespace {

using steady = std::chrono::steady_clock;
using catalogue = embedded::by_name<embedded::placed_pipeline>;

struct prepared {
    home::submission event;
    pipeline::decision decision;
};

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what);
}

catalogue read_pipelines(const std::string& path) {
    std::ifstream file{path};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    auto parsed = embedded::combine({{path, embedded::parse_pipeline_file(path, text)}}, {});
    if (!parsed.problems.empty()) fail(parsed.problems.front());
    return std::move(parsed.pipelines);
}

// One file per thread of wrk, each request behind its length in eight digits; taken in turns, as the server gets them.
std::vector<std::string> read_requests(const std::string& name, std::size_t count) {
    std::array files{std::ifstream{name + ".0"}, std::ifstream{name + ".1"}};
    std::vector<std::string> requests;
    std::string length(8, '0');
    while (requests.size() < count) {
        auto& file = files[requests.size() % files.size()];
        if (!file.read(length.data(), 8)) fail(name + ": too few requests");
        std::string request(std::stoul(length), '\0');
        file.read(request.data(), static_cast<std::streamsize>(request.size()));
        requests.push_back(std::move(request));
    }
    return requests;
}

// "POST /NAMESPACE/PIPELINE/ENVIRONMENT HTTP/1.1…\r\n\r\n{…}", decided on the records that all before it left.
class decider {
public:
    decider(const catalogue& pipelines, embedded::sqlite::connection& db)
        : pipelines_(pipelines), loader_(db) {}

    prepared prepare(std::string_view request, time_point now) {
        const auto body = request.substr(request.find("\r\n\r\n") + 4);
        auto path = request.substr(request.find('/') + 1);
        path = path.substr(0, path.find(' '));
        const auto ns = path.substr(0, path.find('/'));
        const auto name = path.substr(ns.size() + 1, path.rfind('/') - ns.size() - 1);
        const std::string environment{path.substr(path.rfind('/') + 1)};

        const auto found = pipelines_.find(embedded::name_view{ns, name});
        if (found == pipelines_.end()) fail("no pipeline for " + std::string{path});
        auto event = pipeline::parse_event(body, std::nullopt);
        if (!event) fail(event.error().message);
        auto arrival = pipeline::match(found->second.definition, environment, std::move(*event));
        if (!arrival) fail(arrival.error().message);

        auto [records, first] = records_.try_emplace(found->first.text());
        if (first) records->second = loader_.load(found->first).records;
        const std::string_view parts[] = {body};
        const auto whole = std::make_shared<const pipeline::arrival>(std::move(*arrival));
        prepared p{
            {found->first, environment, auth::sha256(parts), {whole, &whole->event}, now},
            pipeline::decide(*whole, records->second, now, now)
        };
        for (const auto& change : p.decision.changes) pipeline::apply(records->second, change);
        return p;
    }

private:
    const catalogue& pipelines_;
    embedded::record_loader loader_;
    std::unordered_map<std::string, pipeline::pipeline_records> records_;
};

// A server that runs has them in memory.
void read_all_records(
    embedded::sqlite::connection& db,
    embedded::ledger_book& book,
    const catalogue& pipelines,
    time_point now
) {
    const auto nothing = [](const auto& /*records*/) { return pipeline::decision{}; };
    embedded::sqlite::transaction all{db};
    for (const auto& [name, placed] : pipelines) {
        if (!book.change(name, "bench", nothing, now)) fail("a pipeline's records cannot be read");
    }
    all.commit();
    book.committed(now);
}

void run(
    const std::string& state,
    const std::string& pipelines_file,
    const std::string& requests,
    std::size_t batch,
    std::size_t count
) {
    const embedded::ledger_options options;
    observe::registry registry;
    embedded::ledger_metrics metrics{registry};
    const auto database = state + "/sluice.db";
    embedded::sqlite::connection db{database, embedded::sqlite::access::read_write};
    embedded::set_up_writer(db, options);
    if (const auto ready = embedded::migrate(db); !ready) fail(ready.error().message);
    std::int64_t wal_bytes = 0;
    sqlite3_wal_hook(
        db.handle(),
        [](void* bytes, sqlite3*, const char*, int frames) {
            *static_cast<std::int64_t*>(bytes) = std::int64_t{frames} * 4'120;
            return SQLITE_OK;
        },
        &wal_bytes
    );
    const auto now = system_clock{}.now();
    const auto pipelines = read_pipelines(pipelines_file);
    std::vector<prepared> events;
    {
        decider decide{pipelines, db};
        for (const auto& request : read_requests(requests, count))
            events.push_back(decide.prepare(request, now));
    }
    embedded::digest_cache digests{options.recall_limit, options.freshness};
    embedded::ledger_book book{db, digests};
    embedded::checkpointer checkpoints{database, options, metrics, [](const auto&) {
                                           std::abort();
                                       }};
    read_all_records(db, book, pipelines, now);
    const auto begin = steady::now();
    for (std::size_t at = 0; at < events.size();) {
        embedded::sqlite::transaction all{db};
        for (std::size_t i = 0; i < batch && at < events.size(); ++i, ++at) {
            const auto decided = [&](const auto& /*records*/) {
                return std::move(events[at].decision);
            };
            if (!book.accept(events[at].event, decided)) fail("an event was refused");
        }
        all.commit();
        book.committed(now);
        checkpoints.committed(db, wal_bytes);
    }
    const std::chrono::duration<double> took = steady::now() - begin;
    std::printf(
        "{\"batch\":%zu,\"events\":%zu,\"events_per_s\":%.0f}\n",
        batch,
        events.size(),
        static_cast<double>(events.size()) / took.count()
    );
}

} // namespace
} // namespace sluice::bench

int main(int argc, char** argv) {
    if (argc != 6) {
        std::fputs("usage: ledger_loop STATE PIPELINES.yaml REQUESTS BATCH COUNT\n", stderr);
        return 2;
    }
    try {
        sluice::bench::run(argv[1], argv[2], argv[3], std::stoul(argv[4]), std::stoul(argv[5]));
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ledger_loop: %s\n", e.what());
        return 1;
    }
}
