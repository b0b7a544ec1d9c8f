#pragma once

#include "base/clock.hpp"
#include "embedded/digest_cache.hpp"
#include "embedded/ledger_metrics.hpp"
#include "embedded/ledger_options.hpp"
#include "embedded/ledger_reader.hpp"
#include "embedded/ledger_writer.hpp"
#include "home/ledger.hpp"
#include "observe/metrics.hpp"

#include <boost/asio/thread_pool.hpp>

#include <filesystem>
#include <memory>

namespace sluice::embedded {

// The ledger of one machine. Destroy it before the io_contexts whose coroutines it may still have to answer.
class sqlite_ledger final : public home::ledger {
public:
    // `fatal` is called once, on a thread of the ledger, after a failed fsync: the process must end, and the next start finds
    // what is really on the disk. `clock` and `metrics` outlive the ledger.
    [[nodiscard]] static result<std::unique_ptr<sqlite_ledger>> open(
        const std::filesystem::path& database,
        const ledger_options& options,
        const clock& clock,
        observe::registry& metrics,
        ledger_writer::fatal_fn fatal
    );
    ~sqlite_ledger() override;

    [[nodiscard]] boost::asio::awaitable<result<home::acceptance>>
    accept(home::submission s, home::decide_fn decide) override;
    [[nodiscard]] std::optional<home::recollection>
    recall(const pipeline::object_name& pipeline, const home::event_digest& digest) const override;
    [[nodiscard]] boost::asio::awaitable<result<pipeline::decision>>
    change(pipeline::object_name pipeline, std::string actor, home::change_fn decide) override;

    [[nodiscard]] boost::asio::awaitable<result<std::vector<pipeline::promotion>>>
    list(home::promotion_filter filter) override;
    [[nodiscard]] boost::asio::awaitable<result<std::vector<pipeline::promotion>>> live() override;
    void on_change(std::function<void()> told) override { writer_->on_change(std::move(told)); }
    [[nodiscard]] boost::asio::awaitable<result<home::promotion_details>> show(std::string id
    ) override;
    [[nodiscard]] boost::asio::awaitable<result<pipeline::pipeline_records>>
    records(pipeline::object_name pipeline) override;

    [[nodiscard]] home::part_health health() const override { return writer_->health(); }
    [[nodiscard]] bool wedged() const override { return writer_->wedged(); }

private:
    sqlite_ledger(const ledger_options& options, const clock& clock, observe::registry& metrics);

    const clock& clock_;
    ledger_metrics metrics_;
    digest_cache digests_;
    touched_promotions touched_;
    std::unique_ptr<ledger_writer> writer_;
    std::unique_ptr<ledger_reader> reader_; // used by reading_ only
    boost::asio::thread_pool reading_{1};
};

} // namespace sluice::embedded
