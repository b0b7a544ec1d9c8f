#pragma once

#include "net/http_client.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/net/scripted_server.hpp"
#include "tests/unit/net/test_certificate.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <string>

namespace sluice::tests {

using namespace std::chrono_literals;

// A client whose loop runs while a test waits for it.
class http_client_fixture {
public:
    explicit http_client_fixture(net::http_client::options o = {}) : client(loop, metrics, o) {}

    template <class T>
    T run(boost::asio::awaitable<T> work) {
        auto done = boost::asio::co_spawn(loop, std::move(work), boost::asio::use_future);
        loop.restart();
        while (done.wait_for(0s) != std::future_status::ready && loop.run_one_for(30s) > 0) {
        }
        if (done.wait_for(0s) != std::future_status::ready) throw std::runtime_error("never done");
        return done.get();
    }
    [[nodiscard]] result<net::http_answer> send(net::http_call call) {
        return run(client.send(std::move(call)));
    }
    [[nodiscard]] std::uint64_t counted(const std::string& outcome) {
        return metrics
            .counter(
                "sluice_http_client_requests_total", "", {{"peer", "test"}, {"outcome", outcome}}
            )
            .value();
    }

    boost::asio::io_context loop{1};
    observe::registry metrics;
    net::http_client client;
};

[[nodiscard]] inline net::http_call call_to(const std::string& url) {
    net::http_call call;
    call.url = net::parse_url(url).value();
    call.peer = "test";
    return call;
}

[[nodiscard]] inline std::shared_ptr<const net::client_tls> trusting(const test_certificate& ca) {
    return std::make_shared<net::client_tls>(net::client_tls{ca.certificate_pem, {}, {}});
}

// The message, or "" when there was none.
template <class T>
[[nodiscard]] std::string complaint(const result<T>& r) {
    return r ? std::string{} : r.error().message;
}

[[nodiscard]] inline bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline const std::string ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

} // namespace sluice::tests
