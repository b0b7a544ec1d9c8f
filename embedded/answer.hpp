#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

// A coroutine waits on its own executor for a value that another thread will have.
namespace sluice::embedded {

// A value on its way back. It holds work on its executor, and must be delivered before that executor's context is destroyed.
class delivery {
public:
    explicit delivery(boost::asio::any_io_executor to) : executor(std::move(to)) {}
    delivery(const delivery&) = delete;
    delivery& operator=(const delivery&) = delete;
    virtual ~delivery() = default;
    virtual void hand_over() = 0; // on the executor

    const boost::asio::any_io_executor executor;
    // What was made on the executor is freed there too: malloc hands back to another thread's arena under a lock.
    std::shared_ptr<void> luggage;
};
using delivery_ptr = std::unique_ptr<delivery>;

template <class T>
class answer : public delivery {
public:
    using delivery::delivery;
    void set(T value) { value_.emplace(std::move(value)); }

protected:
    std::optional<T> value_;
};
template <class T>
using answer_ptr = std::unique_ptr<answer<T>>;

// One post per executor, not one per value: waking a loop costs more than running ten coroutines on it.
void deliver(std::vector<delivery_ptr> values);

template <class T, class Handler>
class answer_to final : public answer<T> {
public:
    answer_to(Handler handler, const boost::asio::any_io_executor& to)
        : answer<T>(to), handler_(std::move(handler)), keep_(to) {}
    void hand_over() override {
        auto handler = std::move(handler_);
        keep_.reset();
        std::move(handler)(std::move(*this->value_));
    }

private:
    Handler handler_;
    boost::asio::executor_work_guard<boost::asio::any_io_executor> keep_;
};

// Gives `start` the answer_ptr<T> to fill. Cannot be cancelled: what was begun is told to its end.
template <class T, class Start>
boost::asio::awaitable<T> await_answer(Start start) {
    auto initiate = [](auto handler, Start begin) {
        const boost::asio::any_io_executor executor = boost::asio::get_associated_executor(handler);
        begin(std::make_unique<answer_to<T, decltype(handler)>>(std::move(handler), executor));
    };
    return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void(T)>(
        std::move(initiate), boost::asio::use_awaitable, std::move(start)
    );
}

} // namespace sluice::embedded
