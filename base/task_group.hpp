#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <memory>

namespace sluice {

// Coroutines of one single-threaded executor that can be cancelled and awaited together. No coroutine is detached: what
// escapes one is told to the sink. Everything but cancel() is called on that executor.
class task_group {
public:
    using exception_sink = std::function<void(std::exception_ptr)>;

    task_group(boost::asio::any_io_executor executor, exception_sink sink);
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    void spawn(boost::asio::awaitable<void> task);
    // From any thread: the signals are emitted on the executor (Boost 1.81 frees them too early otherwise).
    void cancel(boost::asio::cancellation_type type = boost::asio::cancellation_type::terminal);
    // Returns when no task is left.
    [[nodiscard]] boost::asio::awaitable<void> join();
    [[nodiscard]] std::size_t size() const noexcept { return running_; }

private:
    struct child;
    void emit(boost::asio::cancellation_type type);
    void finished(const std::shared_ptr<child>& task, std::exception_ptr escaped);

    boost::asio::any_io_executor executor_;
    exception_sink sink_;
    std::list<std::shared_ptr<child>> children_;
    std::size_t running_ = 0;
    boost::asio::steady_timer empty_;
};

} // namespace sluice
