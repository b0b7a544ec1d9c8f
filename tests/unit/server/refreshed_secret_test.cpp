#include "server/refreshed_secret.hpp"
#include "tests/support/catch.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

using namespace sluice;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

// A source that takes its time, as a file system or an API server that hangs.
class slow_secrets final : public home::secrets {
public:
    explicit slow_secrets(std::chrono::milliseconds takes) : takes_(takes) {}
    [[nodiscard]] bool available() const override { return true; }
    [[nodiscard]] home::secret_ptr find(std::string_view, std::string_view) const override {
        return nullptr;
    }
    [[nodiscard]] asio::awaitable<home::secret_ptr> refresh(std::string, std::string) override {
        if (takes_ > 0ms) {
            asio::steady_timer timer{co_await asio::this_coro::executor, takes_};
            co_await timer.async_wait(asio::use_awaitable);
        }
        co_return nullptr;
    }
    [[nodiscard]] home::part_health health() const override { return {}; }

private:
    std::chrono::milliseconds takes_;
};

// How long a request waits, in a process whose deadline for it is `within`.
std::chrono::milliseconds
waited(std::chrono::milliseconds takes, std::chrono::milliseconds within) {
    asio::io_context loop{1};
    slow_secrets secrets{takes};
    const auto begin = std::chrono::steady_clock::now();
    auto task = server::refresh_until(secrets, "default", "events", begin + within);
    auto done = asio::co_spawn(loop, std::move(task), asio::use_future);
    while (done.wait_for(0s) != std::future_status::ready) loop.run_one();
    done.get();
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin
    );
}

} // namespace

TEST_CASE("a Secret that cannot be read again in time does not hold the request") {
    const auto took = waited(/*takes=*/1h, /*within=*/50ms);
    CHECK(took >= 50ms);
    CHECK(took < 10s);
}

TEST_CASE("a Secret that is read again at once is not waited for any longer") {
    CHECK(waited(/*takes=*/0ms, /*within=*/1h) < 10s);
    CHECK(waited(/*takes=*/5ms, /*within=*/1h) < 10s);
}
