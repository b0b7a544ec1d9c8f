#include "promotion/recorder.hpp"

#include "base/failpoint.hpp"
#include "base/rfc3339.hpp"
#include "observe/log.hpp"
#include "pipeline/progress.hpp"

#include <fmt/format.h>

namespace sluice::promotion {

using pipeline::pipeline_records;
using pipeline::promotion_state;

namespace {

constexpr auto actor = "executor";

std::vector<double> promotion_bounds() {
    return {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1'800, 3'600, 21'600, 86'400};
}

outcome told(const result<pipeline::verdict_on_event>& written) {
    if (!written) return written.error();
    return {};
}

} // namespace

recorder::recorder(
    home::ledger& ledger, const clock& time, observe::registry& metrics, retry_rule rule
)
    : ledger_(ledger), time_(time), metrics_(metrics), rule_(rule) {}

void recorder::count(std::string_view step, std::string_view outcome) {
    metrics_
        .counter(
            "sluice_executor_steps_total",
            "Steps of promotions that were written to the ledger",
            {{"step", std::string{step}}, {"outcome", std::string{outcome}}}
        )
        .add();
}

boost::asio::awaitable<result<pipeline::verdict_on_event>>
recorder::write(pipeline::promotion_id id, std::string step, home::change_fn decide) {
    failpoint("executor.before_record");
    const auto written = co_await ledger_.change(id.pipeline, actor, std::move(decide));
    failpoint("executor.after_record");
    if (written) {
        count(step, "done");
        co_return written->what;
    }
    const auto& why = written.error();
    if (why.code == errc::conflict) {
        count(step, "let_go");
        log::debug("let go", {{"promotion", id.text()}, {"step", step}, {"reason", why.message}});
    } else {
        count(step, "not_written");
        last_trouble_ = fmt::format("{}: {} was not written: {}", id.text(), step, why.message);
        log::warn(
            "not written, it is tried again",
            {{"promotion", id.text()}, {"step", step}, {"error", why.message}}
        );
    }
    co_return why;
}

boost::asio::awaitable<outcome> recorder::begin(task t) {
    auto decide = [t](const pipeline_records& records) {
        return pipeline::begin(*t.pipeline, records, t.promotion.id);
    };
    const auto written = co_await write(t.promotion.id, "begin", std::move(decide));
    if (!written) co_return written.error();
    if (*written != pipeline::verdict_on_event::promote) {
        co_return error(errc::conflict, "it was stopped before it began");
    }
    if (t.promotion.state != promotion_state::running) {
        log::info("promotion begins", {{"promotion", t.promotion.id.text()}});
    }
    co_return outcome{};
}

boost::asio::awaitable<outcome> recorder::note(task t, pipeline::promotion_work work) {
    auto decide = [id = t.promotion.id, work](const pipeline_records& records) {
        return pipeline::note_work(records, id, work);
    };
    const auto written = co_await write(t.promotion.id, "note", std::move(decide));
    co_return told(written);
}

boost::asio::awaitable<outcome>
recorder::opened(task t, pipeline::promotion_work work, std::string message) {
    work.failures = 0;
    auto decide = [id = t.promotion.id, work, message](const pipeline_records& records) {
        return pipeline::opened(records, id, work, message);
    };
    const auto written = co_await write(t.promotion.id, "open", std::move(decide));
    if (written) {
        const auto took = std::chrono::duration<double>(time_.now() - t.promotion.created_at);
        metrics_
            .histogram(
                "sluice_promotion_open_seconds",
                "From the accepted proof to the open pull request",
                promotion_bounds()
            )
            .observe(took.count());
        log::info(message, {{"promotion", t.promotion.id.text()}, {"commit", work.commit}});
    }
    co_return told(written);
}

boost::asio::awaitable<outcome>
recorder::merged(pipeline::promotion p, pipeline::promotion_work work, std::string message) {
    work.failures = 0;
    auto decide = [id = p.id, work, message](const pipeline_records& records) {
        return pipeline::merged(records, id, work, message);
    };
    const auto written = co_await write(p.id, "merge", std::move(decide));
    if (written) {
        const auto took = std::chrono::duration<double>(time_.now() - p.created_at);
        metrics_
            .histogram(
                "sluice_promotion_merge_seconds",
                "From the accepted proof to the merged change",
                promotion_bounds()
            )
            .observe(took.count());
        log::info(message, {{"promotion", p.id.text()}, {"commit", work.commit}});
    }
    co_return told(written);
}

boost::asio::awaitable<outcome> recorder::ended(
    pipeline::promotion p,
    promotion_state to,
    std::string reason,
    std::string message,
    std::optional<pipeline::promotion_work> work
) {
    if (work) work->failures = 0;
    auto decide = [id = p.id, to, reason, message, work](const pipeline_records& records) {
        return pipeline::ended(records, id, to, reason, message, work);
    };
    const std::string state{to_string(to)};
    const auto written = co_await write(p.id, state, std::move(decide));
    if (written) {
        const bool unwell = to == promotion_state::failed || to == promotion_state::held;
        log::write(
            unwell ? log::level::warn : log::level::info,
            message,
            {{"promotion", p.id.text()}, {"state", state}, {"reason", reason}}
        );
    }
    co_return told(written);
}

boost::asio::awaitable<void> recorder::paused(pipeline::promotion_id id, std::string why) {
    auto decide = [id, why](const pipeline_records& records) {
        return pipeline::paused(records, id, why);
    };
    (void)co_await write(id, "pause", std::move(decide));
}

boost::asio::awaitable<outcome> recorder::reopened(task t, std::string because) {
    auto decide = [id = t.promotion.id, because](const pipeline_records& records) {
        return pipeline::reopened(records, id, because);
    };
    const auto written = co_await write(t.promotion.id, "reopen", std::move(decide));
    if (written && *written == pipeline::verdict_on_event::promote) {
        log::info("tried again", {{"promotion", t.promotion.id.text()}, {"because", because}});
    }
    co_return told(written);
}

boost::asio::awaitable<outcome>
recorder::translated(task t, std::optional<pipeline::promotion> deployed) {
    auto decide = [t, deployed, now = time_.now()](const pipeline_records& records) {
        return pipeline::translated(*t.pipeline, records, t.promotion.id, deployed, now);
    };
    const auto written = co_await write(t.promotion.id, "translate", std::move(decide));
    if (written) {
        log::info(
            "the report is about a commit of promotions",
            {{"promotion", t.promotion.id.text()},
             {"deployed", deployed ? deployed->id.text() : std::string{"none"}}}
        );
    }
    co_return told(written);
}

boost::asio::awaitable<void> recorder::trouble(task t, error e, pipeline::promotion_work work) {
    last_trouble_ = fmt::format("{}: {}", t.promotion.id.text(), e.message);
    if (!is_transient(e.code)) {
        const auto reason = std::string{to_string(e.code)};
        const auto state = promotion_state::failed;
        // Whatever went wrong in writing it was told; the next run finds the promotion as it is.
        (void)co_await ended(t.promotion, state, reason, e.message, std::move(work));
        co_return;
    }
    const auto delay = retry_delay(rule_, work.failures, roll(), e.retry_after);
    const auto at = time_.now() + delay;
    ++work.failures;
    auto decide = [id = t.promotion.id, message = e.message, at, work](
                      const pipeline_records& records
                  ) { return pipeline::retry_later(records, id, message, at, work); };
    const auto written = co_await write(t.promotion.id, "retry", std::move(decide));
    if (!written) co_return;
    log::warn(
        "a step failed and is tried again",
        {{"promotion", t.promotion.id.text()},
         {"error", e.message},
         {"failures", work.failures},
         {"at", format_rfc3339(at)}}
    );
}

} // namespace sluice::promotion
