#pragma once

#include "net/self_signed.hpp"
#include "server/http_server.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wire_client.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <optional>
#include <stdexcept>

namespace sluice::tests {

using namespace std::chrono_literals;

// A real server on loopback with a few routes whose handlers are trivial.
class server_fixture {
public:
    explicit server_fixture(const server::limits& l = {}, std::size_t loops = 2)
        : routes_(table()), server_(std::in_place, l, loops, registry) {
        auto files = net::self_signed_files(folder.path() / "tls", {});
        REQUIRE(files.has_value());
        auto loaded = net::tls_context::load(*files);
        REQUIRE(loaded.has_value());
        tls = std::move(*loaded);
        auto secure = server_->listen("https://127.0.0.1:0", routes_, tls.get());
        REQUIRE(secure.has_value());
        https = *secure;
        auto plain = server_->listen("http://127.0.0.1:0", routes_);
        REQUIRE(plain.has_value());
        http = *plain;
        server_->start();
    }

    [[nodiscard]] bool stop(std::chrono::milliseconds grace) { return server_->stop(grace); }
    [[nodiscard]] server::http_server& server() { return *server_; }
    [[nodiscard]] std::uint64_t counted(const char* name, observe::labels l) {
        return registry.counter(name, "", std::move(l)).value();
    }

    temp_folder folder;
    observe::registry registry;
    std::unique_ptr<net::tls_context> tls;
    std::string https;
    std::string http;
    std::atomic<int> entered{0};
    std::atomic<bool> hold{false};

private:
    static boost::asio::awaitable<http::response> echo(http::request& r, const server::params&) {
        co_return http::response{202, "text/plain", std::string(r.body)};
    }
    static boost::asio::awaitable<http::response> fail(http::request&, const server::params&) {
        throw std::runtime_error("the canary of a handler");
        co_return http::response{};
    }
    static boost::asio::awaitable<http::response> big(http::request&, const server::params&) {
        co_return http::response{200, "text/plain", std::string(std::size_t{16} << 20U, 'x')};
    }
    boost::asio::awaitable<http::response> held(http::request& r, const server::params&) {
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
        ++entered;
        while (hold) {
            timer.expires_after(2ms);
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
        r.drop_body();
        co_return http::response{200, "text/plain", "held"};
    }
    std::vector<server::route> table() {
        auto hold_it = [this](http::request& r, const server::params& p) { return held(r, p); };
        return {
            {"POST", "/{ns}/{pipeline}/{env}", "event", echo},
            {"GET", "/hello", "hello", echo},
            {"GET", "/fail", "fail", fail},
            {"GET", "/big", "big", big},
            {"POST", "/held", "held", hold_it},
            {"GET", "/held", "held", hold_it},
        };
    }

    server::router routes_;
    std::optional<server::http_server> server_;
};

} // namespace sluice::tests
