#include "embedded/sqlite_ledger.hpp"

#include "base/offload.hpp"
#include "embedded/digest_restore.hpp"
#include "embedded/ledger_schema.hpp"

#include <thread>

namespace sluice::embedded {
namespace {

// Mostly SQLite waits for the lock itself.
constexpr std::chrono::milliseconds settle_pause{20};

// What a crash or a failed fsync left in the log goes into the database, durably, and the log starts anew before anything is
// accepted: behind a part of the log that is on no disk, nothing would survive a power cut.
outcome settle(sqlite::connection& db, std::chrono::milliseconds patience) {
    using steady = std::chrono::steady_clock;
    const auto until = steady::now() + patience;
    for (;;) {
        const int code = sqlite3_wal_checkpoint_v2(
            db.handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr
        );
        if (code == SQLITE_OK) return {};
        if ((code & 0xff) != SQLITE_BUSY) db.fail(code, "checkpoint at start");
        if (steady::now() < until) {
            std::this_thread::sleep_for(settle_pause);
            continue;
        }
        return error(
            errc::conflict,
            "another program reads the ledger and keeps its log from being cleared; end what has "
            "the file open (a backup, a database shell), then start again"
        );
    }
}

} // namespace

sqlite_ledger::sqlite_ledger(
    const ledger_options& options, const clock& clock, observe::registry& metrics
)
    : clock_(clock), metrics_(metrics), digests_(options.recall_limit, options.freshness) {}

sqlite_ledger::~sqlite_ledger() {
    reading_.join();
}

result<std::unique_ptr<sqlite_ledger>> sqlite_ledger::open(
    const std::filesystem::path& database,
    const ledger_options& options,
    const clock& clock,
    observe::registry& metrics,
    ledger_writer::fatal_fn fatal
) {
    try {
        std::unique_ptr<sqlite_ledger> made{new sqlite_ledger{options, clock, metrics}};
        sqlite::connection db{database.string(), sqlite::access::read_write, options.vfs};
        set_up_writer(db, options);
        auto ready = settle(db, options.settle_within);
        if (ready) ready = migrate(db);
        if (!ready) {
            return error(ready.error().code, database.string() + ": " + ready.error().message);
        }
        restore_digests(db, made->digests_, options, clock.now());
        made->writer_ = std::make_unique<ledger_writer>(
            database.string(),
            std::move(db),
            made->digests_,
            made->touched_,
            options,
            clock,
            made->metrics_,
            std::move(fatal)
        );
        auto reader = ledger_reader::open(database, options.vfs);
        if (!reader) return reader.error();
        made->reader_ = std::move(*reader);
        return made;
    } catch (const sqlite::failure& f) {
        return error(
            errc::unavailable,
            std::string{f.what()} + "; check the disk and the owner of the state folder"
        );
    }
}

boost::asio::awaitable<result<home::acceptance>>
sqlite_ledger::accept(home::submission s, home::decide_fn decide) {
    using wanted = result<home::acceptance>;
    auto start = [writer = writer_.get(),
                  s = std::move(s),
                  decide = std::move(decide)](answer_ptr<wanted> to) mutable {
        auto work = [s = std::move(s), decide = std::move(decide)](ledger_book& book) {
            return book.accept(s, decide);
        };
        auto request =
            std::make_shared<write_request_for<home::acceptance>>(std::move(work), std::move(to));
        request->patient = true;
        writer->submit(std::move(request));
    };
    return await_answer<wanted>(std::move(start));
}

boost::asio::awaitable<result<pipeline::decision>>
sqlite_ledger::change(pipeline::object_name pipeline, std::string actor, home::change_fn decide) {
    using wanted = result<pipeline::decision>;
    auto start = [this,
                  pipeline = std::move(pipeline),
                  actor = std::move(actor),
                  decide = std::move(decide)](answer_ptr<wanted> to) mutable {
        auto work = [clock = &clock_,
                     pipeline = std::move(pipeline),
                     actor = std::move(actor),
                     decide = std::move(decide)](ledger_book& book) {
            return book.change(pipeline, actor, decide, clock->now());
        };
        writer_->submit(
            std::make_shared<write_request_for<pipeline::decision>>(std::move(work), std::move(to))
        );
    };
    return await_answer<wanted>(std::move(start));
}

std::optional<home::recollection> sqlite_ledger::recall(
    const pipeline::object_name& pipeline, const home::event_digest& digest
) const {
    return digests_.find(pipeline, digest);
}

boost::asio::awaitable<result<std::vector<pipeline::promotion>>>
sqlite_ledger::list(home::promotion_filter filter) {
    return offload(reading_, [reader = reader_.get(), filter = std::move(filter)] {
        return reader->list(filter);
    });
}

boost::asio::awaitable<result<std::vector<pipeline::promotion>>> sqlite_ledger::live() {
    return offload(reading_, [reader = reader_.get(), touched = &touched_] {
        return reader->live(*touched);
    });
}

boost::asio::awaitable<result<home::promotion_details>> sqlite_ledger::show(std::string id) {
    return offload(reading_, [reader = reader_.get(), id = std::move(id)] {
        return reader->show(id);
    });
}

boost::asio::awaitable<result<pipeline::pipeline_records>>
sqlite_ledger::records(pipeline::object_name pipeline) {
    return offload(reading_, [reader = reader_.get(), pipeline = std::move(pipeline)] {
        return reader->records(pipeline);
    });
}

} // namespace sluice::embedded
