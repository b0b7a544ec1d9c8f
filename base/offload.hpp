#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace sluice {

// Runs blocking `work` on the pool and resumes the caller on its own executor with what it returned or threw. It cannot
// be cancelled: the deadline lives inside `work`.
template <class Work>
boost::asio::awaitable<std::invoke_result_t<Work>>
offload(boost::asio::thread_pool& pool, Work work) {
    namespace asio = boost::asio;
    using returned = std::invoke_result_t<Work>;
    using value = std::conditional_t<std::is_void_v<returned>, std::monostate, returned>;

    auto initiate = [](auto handler, asio::thread_pool* threads, Work job) {
        auto home = asio::get_associated_executor(handler);
        auto run = [handler = std::move(handler),
                    job = std::move(job),
                    keep = asio::make_work_guard(home)]() mutable {
            std::exception_ptr escaped;
            std::optional<value> done;
            try {
                if constexpr (std::is_void_v<returned>) {
                    job();
                    done.emplace();
                } else {
                    done.emplace(job());
                }
            } catch (...) {
                escaped = std::current_exception();
            }
            auto resume = [handler = std::move(handler), escaped, done = std::move(done)](
                          ) mutable { std::move(handler)(escaped, std::move(done)); };
            asio::post(keep.get_executor(), std::move(resume));
        };
        asio::post(*threads, std::move(run));
    };
    using signature = void(std::exception_ptr, std::optional<value>);
    std::optional<value> done =
        co_await asio::async_initiate<const asio::use_awaitable_t<>, signature>(
            initiate, asio::use_awaitable, &pool, std::move(work)
        );
    if constexpr (!std::is_void_v<returned>) co_return std::move(*done);
}

} // namespace sluice
