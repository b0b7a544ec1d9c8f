#pragma once

#include "base/result.hpp"
#include "home/pipelines.hpp"
#include "pipeline/decide.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The durable memory of a home: what was told, what was decided, what became of it.
namespace sluice::home {

// SHA-256 of what the signature covers.
using event_digest = std::array<std::uint8_t, 32>;

// Runs inside the ledger's transaction, on the ledger's thread, possibly again after a conflict: pure, and it must not block.
using decide_fn = std::function<pipeline::decision(const pipeline::pipeline_records&)>;

// The same for what people and the executor do. An error changes nothing and is handed to the caller.
using change_fn = std::function<result<pipeline::decision>(const pipeline::pipeline_records&)>;

struct submission {
    pipeline::object_name pipeline;
    std::string environment;
    event_digest digest{};
    std::shared_ptr<const pipeline::deployment_event> event;
    time_point received_at;
};

// The answer a sender got, and gets again for the same bytes.
struct acceptance {
    pipeline::verdict_on_event what = pipeline::verdict_on_event::ignore;
    std::string reason;
    std::string promotion; // promotion_id::text(), or empty
};

// What was remembered about bytes seen before.
struct recollection {
    std::string environment;
    time_point signed_at;
    acceptance answer;
};

struct history_entry {
    time_point at;
    std::string state;
    std::string reason;
    std::string message;
    std::string actor; // who acted: "flux", "trigger", later a person
};

struct promotion_filter {
    std::string ns;          // empty: all
    std::string pipeline;    // empty: all
    std::string environment; // empty: all
    std::string state;       // to_string(promotion_state); empty: all
    std::size_t limit = 500; // newest first
};

struct promotion_details {
    pipeline::promotion promotion;
    std::vector<history_entry> history;
};

class ledger {
public:
    virtual ~ledger() = default;

    // Answers only after the commit. errc::unavailable (with retry_after) when storage is full, slow or its queue is full. The
    // same bytes twice at once are accepted once and get one answer; at another environment errc::unauthenticated.
    [[nodiscard]] virtual boost::asio::awaitable<result<acceptance>>
    accept(submission s, decide_fn decide) = 0;

    // The same bytes inside the freshness window. From any thread, without I/O. Bytes once accepted for one environment of a
    // pipeline are found from every other one too.
    [[nodiscard]] virtual std::optional<recollection>
    recall(const pipeline::object_name& pipeline, const event_digest& digest) const = 0;

    // Changes decided by others than events (people, the executor). Same transaction rules as accept().
    [[nodiscard]] virtual boost::asio::awaitable<result<pipeline::decision>>
    change(pipeline::object_name pipeline, std::string actor, change_fn decide) = 0;

    [[nodiscard]] virtual boost::asio::awaitable<result<std::vector<pipeline::promotion>>>
    list(promotion_filter filter) = 0;
    // What the executor looks at, oldest first: all that has not ended, the Failed ones, which may be opened again, and the
    // Cancelled ones whose pull request is still open (promotion_work::pull_request), to be closed.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::vector<pipeline::promotion>>>
    live() = 0;
    // `told` is called on a thread of the ledger after a commit that opened or moved promotions, unless they only
    // wait for a person; it must not block. Set once, before the first accept().
    virtual void on_change(std::function<void()> told) = 0;
    // By promotion_id::text(). errc::not_found when there is none.
    [[nodiscard]] virtual boost::asio::awaitable<result<promotion_details>> show(std::string id
    ) = 0;
    [[nodiscard]] virtual boost::asio::awaitable<result<pipeline::pipeline_records>>
    records(pipeline::object_name pipeline) = 0;

    [[nodiscard]] virtual part_health health() const = 0;
    // It makes no progress, and only a restart helps: what /healthz asks. A full disk is unwell, not wedged.
    [[nodiscard]] virtual bool wedged() const = 0;
};

} // namespace sluice::home
