#include "promotion/executor.hpp"

#include "base/task_group.hpp"
#include "observe/log.hpp"
#include "promotion/dispatcher.hpp"
#include "promotion/strategies/foresee.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <future>
#include <mutex>
#include <optional>
#include <thread>

namespace sluice::promotion {

namespace asio = boost::asio;

namespace {

// What the ledger calls. It may still do so while, and after, an executor ends.
struct doorbell {
    std::mutex mutex;
    dispatcher* rings = nullptr;

    void ring() {
        const std::lock_guard lock{mutex};
        if (rings != nullptr) rings->wake();
    }
    void connect(dispatcher* to) {
        const std::lock_guard lock{mutex};
        rings = to;
    }
};

void tell_escaped(std::exception_ptr escaped) {
    try {
        std::rethrow_exception(std::move(escaped));
    } catch (const std::exception& e) {
        log::error("a coroutine of the executor failed; this is a bug", {{"error", e.what()}});
    }
}

dispatcher::options pace_of(const executor_options& o) {
    dispatcher::options made;
    made.workers = std::max<std::size_t>(1, o.workers);
    made.pace.poll_every = o.poll_every;
    made.pace.look_at_failed = o.look_at_failed;
    made.pace.longest_retry = o.longest_retry;
    made.pace.breath = std::min(made.pace.breath, o.first_retry);
    made.wedged_after = o.wedged_after;
    return made;
}

} // namespace

struct executor::impl {
    impl(home::parts home, const clock& time, observe::registry& metrics, executor_options o);

    asio::awaitable<void> drain(std::promise<void>& idle);
    asio::awaitable<void> answer(
        std::function<void(result<preview>)> done,
        pipeline::definition_ptr pipeline,
        std::string environment,
        pipeline::revision_facts facts
    );

    executor_options options;
    home::parts parts;
    asio::io_context loop{1};
    asio::executor_work_guard<asio::io_context::executor_type> keep{loop.get_executor()};
    asio::thread_pool git_threads;
    net::http_client client;
    credential_source credentials;
    forge::rate_limits limits;
    forges pull_requests;
    lane_locks locks{loop};
    recorder record;
    memory remembered;
    std::atomic<bool> stopping{false};
    workshop shared;
    task_group lanes{loop.get_executor(), tell_escaped};
    task_group looking{loop.get_executor(), tell_escaped};
    dispatcher dispatch;
    std::shared_ptr<doorbell> bell = std::make_shared<doorbell>();
    std::thread thread;
};

executor::impl::impl(
    home::parts home, const clock& time, observe::registry& metrics, executor_options o
)
    : options(std::move(o)), parts(home), git_threads(std::max<std::size_t>(1, options.workers)),
      client(loop, metrics, options.http), credentials(client, time), limits(time, metrics),
      pull_requests(forge::connection{&client, &limits}, options.make_forge),
      record(home.ledger, time, metrics, {options.first_retry, options.longest_retry}),
      shared{
          home,
          time,
          record,
          remembered,
          client,
          credentials,
          pull_requests,
          locks,
          git_threads,
          {},
          options.author,
          options.events_address,
          stopping
      },
      dispatch(loop, shared, lanes, metrics, pace_of(options)) {
    shared.git.caches = options.caches;
    shared.git.local_repositories = options.local_repositories;
    shared.git.client = &client;
    shared.git.loop = &loop;
    shared.git.metrics = &metrics;
}

asio::awaitable<void> executor::impl::drain(std::promise<void>& idle) {
    co_await lanes.join();
    idle.set_value();
}

asio::awaitable<void> executor::impl::answer(
    std::function<void(result<preview>)> done,
    pipeline::definition_ptr pipeline,
    std::string environment,
    pipeline::revision_facts facts
) {
    result<preview> seen = error(errc::internal, "the preview could not be made");
    try {
        seen = co_await promotion::foresee(
            shared, std::move(pipeline), std::move(environment), std::move(facts)
        );
    } catch (const std::exception& e) {
        log::error("a preview failed; this is a bug", {{"error", e.what()}});
    }
    done(std::move(seen));
}

executor::executor(
    home::parts home, const clock& time, observe::registry& metrics, executor_options o
)
    : impl_(std::make_unique<impl>(home, time, metrics, std::move(o))) {}

executor::~executor() {
    stop(std::chrono::seconds{5});
}

void executor::start() {
    if (impl_->thread.joinable()) return;
    impl_->bell->connect(&impl_->dispatch);
    impl_->parts.ledger.on_change([bell = impl_->bell] { bell->ring(); });
    asio::post(impl_->loop, [i = impl_.get()] { i->looking.spawn(i->dispatch.run()); });
    impl_->thread = std::thread{[i = impl_.get()] { i->loop.run(); }};
}

void executor::stop(std::chrono::milliseconds grace) {
    if (!impl_->thread.joinable()) return;
    impl_->bell->connect(nullptr);
    impl_->stopping = true;
    impl_->dispatch.wake();
    std::promise<void> idle;
    auto is_idle = idle.get_future();
    asio::post(impl_->loop, [i = impl_.get(), &idle] { i->looking.spawn(i->drain(idle)); });
    if (is_idle.wait_for(grace) != std::future_status::ready) {
        log::warn("promotions at work are cut off; they go on at the next start");
        asio::post(impl_->loop, [i = impl_.get()] { i->client.stop(); });
        is_idle.wait();
    }
    asio::post(impl_->loop, [i = impl_.get()] { i->client.stop(); });
    impl_->keep.reset();
    impl_->thread.join();
    impl_->git_threads.join();
}

void executor::wake() noexcept {
    impl_->dispatch.wake();
}

void executor::look_again(pipeline::object_name pipeline) {
    asio::post(impl_->loop, [i = impl_.get(), pipeline = std::move(pipeline)] {
        i->dispatch.look_again(pipeline);
    });
}

asio::awaitable<result<preview>> executor::foresee(
    pipeline::definition_ptr pipeline, std::string environment, pipeline::revision_facts facts
) {
    if (!impl_->thread.joinable() || impl_->stopping) {
        co_return error(errc::unavailable, "the executor is not running");
    }
    auto initiate = [](auto handler,
                       impl* i,
                       pipeline::definition_ptr definition,
                       std::string into,
                       pipeline::revision_facts what) {
        auto home = asio::get_associated_executor(handler);
        auto kept = std::make_shared<decltype(handler)>(std::move(handler));
        auto done = [kept, guard = asio::make_work_guard(home)](result<preview> seen) {
            asio::post(guard.get_executor(), [kept, seen = std::move(seen)]() mutable {
                std::move (*kept)(std::move(seen));
            });
        };
        asio::post(
            i->loop,
            [i,
             done = std::function<void(result<preview>)>{std::move(done)},
             definition = std::move(definition),
             into = std::move(into),
             what = std::move(what)]() mutable {
                i->lanes.spawn(i->answer(
                    std::move(done), std::move(definition), std::move(into), std::move(what)
                ));
            }
        );
    };
    auto seen = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(result<preview>)>(
        initiate,
        asio::use_awaitable,
        impl_.get(),
        std::move(pipeline),
        std::move(environment),
        std::move(facts)
    );
    co_return seen;
}

home::part_health executor::health() const {
    return impl_->dispatch.health();
}

bool executor::wedged() const {
    return impl_->thread.joinable() && impl_->dispatch.wedged();
}

} // namespace sluice::promotion
