#pragma once

#include "base/task_group.hpp"
#include "base/unique_fd.hpp"
#include "server/session.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace sluice::server {

// One thread with its own io_context, its own listening sockets and its own connections. Nothing is shared with another
// loop but `service`.
class loop {
public:
    explicit loop(service& shared);
    loop(const loop&) = delete;
    loop& operator=(const loop&) = delete;
    ~loop();

    // Before start().
    void listen(endpoint& where, unique_fd socket);
    void start();
    // From any thread: accepts no more, closes idle connections, ends when the last answer is written.
    void drain();
    // False when it was not done in time and was stopped in the middle.
    [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point deadline);

    // How long ago this loop last came round; nothing once it is done.
    [[nodiscard]] std::chrono::steady_clock::duration silent_for() const noexcept;
    [[nodiscard]] boost::asio::io_context& context() noexcept { return io_; }

private:
    using sessions = boost::intrusive::list<session, boost::intrusive::constant_time_size<false>>;
    using listening = boost::asio::basic_stream_socket<
        boost::asio::generic::stream_protocol,
        boost::asio::io_context::executor_type>;

    [[nodiscard]] boost::asio::awaitable<void> accept_at(endpoint& where, listening socket);
    [[nodiscard]] boost::asio::awaitable<void> sweep();
    // False when the machine has no descriptor or memory for another connection.
    [[nodiscard]] bool accept_waiting(endpoint& where, int socket, int most);
    [[nodiscard]] bool
    adopt(endpoint& where, unique_fd fd, int family, const boost::asio::ip::address& peer);
    void beat() noexcept;

    service& shared_;
    sessions open_; // before io_: the sessions go with the frames that io_ still holds
    boost::asio::io_context io_{1};
    task_group tasks_;
    boost::asio::steady_timer sweep_timer_;
    std::chrono::milliseconds tick_;
    bool draining_ = false;
    std::atomic<std::chrono::steady_clock::rep> last_beat_{0};
    std::atomic<bool> over_{false};
    std::promise<void> ended_;
    std::thread thread_;
};

} // namespace sluice::server
