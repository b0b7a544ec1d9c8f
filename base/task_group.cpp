#include "base/task_group.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>
#include <vector>

namespace sluice {

namespace asio = boost::asio;

struct task_group::child {
    asio::cancellation_signal signal;
    std::list<std::shared_ptr<child>>::iterator position;
    bool listed = false;
    bool done = false;
};

task_group::task_group(asio::any_io_executor executor, exception_sink sink)
    : executor_(std::move(executor)), sink_(std::move(sink)),
      empty_(executor_, asio::steady_timer::time_point::max()) {}

void task_group::spawn(asio::awaitable<void> task) {
    auto started = std::make_shared<child>();
    ++running_;
    auto on_end = [this, started](std::exception_ptr escaped) { finished(started, escaped); };
    asio::co_spawn(
        executor_,
        std::move(task),
        asio::bind_cancellation_slot(started->signal.slot(), std::move(on_end))
    );
    // Listed only now: a signal must not reach a coroutine that co_spawn has not finished starting.
    if (started->done) return;
    children_.push_front(started);
    started->position = children_.begin();
    started->listed = true;
}

void task_group::finished(const std::shared_ptr<child>& task, std::exception_ptr escaped) {
    task->done = true;
    if (task->listed) children_.erase(task->position);
    // The coroutine's own frame still looks at its cancellation state while it unwinds.
    asio::post(executor_, [task] {});
    if (escaped && sink_) sink_(escaped);
    if (--running_ == 0) empty_.cancel();
}

void task_group::cancel(asio::cancellation_type type) {
    asio::dispatch(executor_, [this, type] { emit(type); });
}

void task_group::emit(asio::cancellation_type type) {
    // A copy: a cancelled task may end, and leave the list, at once.
    const std::vector<std::shared_ptr<child>> now(children_.begin(), children_.end());
    for (const auto& task : now) {
        if (!task->done) task->signal.emit(type);
    }
}

asio::awaitable<void> task_group::join() {
    while (running_ != 0) {
        co_await empty_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

} // namespace sluice
