#include "base/unique_fd.hpp"
#include "net/unix_http_client.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <thread>

using namespace sluice;
using namespace std::chrono_literals;

namespace {

// Accepts one connection, reads the request's head and answers with the bytes it was given.
class one_answer {
public:
    one_answer(
        const std::string& path, std::string answer, bool close_after = true, std::size_t expect = 0
    )
        : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), answer_(std::move(answer)),
          close_(close_after), expected_body_(expect) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, path.size());
        REQUIRE(
            ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0
        );
        REQUIRE(::listen(listener_.get(), 4) == 0);
        thread_ = std::thread{[this] { serve(); }};
    }
    ~one_answer() { wait(); }
    void wait() {
        if (thread_.joinable()) thread_.join();
    }
    one_answer(const one_answer&) = delete;
    one_answer& operator=(const one_answer&) = delete;

    std::string request;
    std::string body;

private:
    void serve() {
        unique_fd peer{::accept(listener_.get(), nullptr, nullptr)};
        char byte = 0;
        while (!request.ends_with("\r\n\r\n") && ::read(peer.get(), &byte, 1) == 1) request += byte;
        for (std::size_t left = expected_body_; left > 0 && ::read(peer.get(), &byte, 1) == 1;
             --left)
            body += byte;
        for (std::size_t sent = 0; sent < answer_.size();) {
            const auto n =
                ::send(peer.get(), answer_.data() + sent, answer_.size() - sent, MSG_NOSIGNAL);
            if (n <= 0) break;
            sent += static_cast<std::size_t>(n);
        }
        // A server that stays silent: until the client gives up.
        if (!close_)
            while (::read(peer.get(), &byte, 1) == 1) {
            }
    }

    unique_fd listener_;
    std::string answer_;
    bool close_;
    std::size_t expected_body_;
    std::thread thread_;
};

} // namespace

TEST_CASE("an answer is read whole, by its length, by its chunks or by the end of the connection") {
    const std::string big(300'000, 'x');
    for (const auto& [answer, body] : std::vector<std::pair<std::string, std::string>>{
             {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"},
             {"HTTP/1.1 200 OK\r\nTransfer-Encoding: "
              "chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n",
              "hello!"},
             {"HTTP/1.1 200 OK\r\n\r\nto the end", "to the end"},
             {"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + big, big},
         }) {
        const tests::temp_folder folder;
        const auto path = (folder / "s").string();
        one_answer server{path, answer};
        const auto got = net::get_over_unix_socket(path, "/a%2Fb?c=d", 10s);
        REQUIRE(got.has_value());
        CHECK(got->status == 200);
        CHECK(got->body == body);
        CHECK(server.request.starts_with("GET /a%2Fb?c=d HTTP/1.1\r\nHost: localhost\r\n"));
    }
}

TEST_CASE("a body is sent with its length and type; one that would end a line is not") {
    const tests::temp_folder folder;
    const auto path = (folder / "s").string();
    const std::string body(200'000, 'b');
    {
        one_answer server{
            path, "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}", true, body.size()
        };
        net::unix_request request{"POST", "/api/v1/x", body, "application/json"};
        const auto got = net::send_over_unix_socket(path, request, 10s);
        server.wait();
        REQUIRE(got.has_value());
        CHECK(got->status == 202);
        CHECK(server.request.starts_with("POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\n"));
        CHECK(server.request.find("\r\nContent-Length: 200000\r\n") != std::string::npos);
        CHECK(server.request.find("\r\nContent-Type: application/json\r\n") != std::string::npos);
        CHECK(server.body == body);
    }
    const auto split = net::send_over_unix_socket(path, {"POST", "/x\r\nY: z", "", ""}, 1s);
    REQUIRE_FALSE(split.has_value());
    CHECK(split.error().code == errc::invalid_argument);
}

TEST_CASE("a POST without a body says that it has none") {
    const tests::temp_folder folder;
    const auto path = (folder / "s").string();
    one_answer server{path, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"};
    const auto got = net::send_over_unix_socket(path, {"POST", "/x", "", ""}, 10s);
    server.wait();
    REQUIRE(got.has_value());
    CHECK(server.request.find("\r\nContent-Length: 0\r\n") != std::string::npos);
    CHECK(server.request.find("Content-Type") == std::string::npos);
}

TEST_CASE("a problem keeps its status and its body") {
    const tests::temp_folder folder;
    const auto path = (folder / "s").string();
    one_answer server{path, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"};
    const auto got = net::get_over_unix_socket(path, "/", 10s);
    REQUIRE(got.has_value());
    CHECK(got->status == 404);
    CHECK(got->body == "{}");
}

TEST_CASE("no socket and a socket nobody listens on mean that no server runs") {
    const tests::temp_folder folder;
    const auto path = (folder / "s").string();
    const auto missing = net::get_over_unix_socket(path, "/", 1s);
    REQUIRE_FALSE(missing.has_value());
    CHECK(missing.error().code == errc::not_found);
    {
        one_answer once{path, ""};
        (void)net::get_over_unix_socket(path, "/", 10s);
    }
    const auto left_behind = net::get_over_unix_socket(path, "/", 1s);
    REQUIRE_FALSE(left_behind.has_value());
    CHECK(left_behind.error().code == errc::not_found);
}

TEST_CASE(
    "a server that never answers, hangs up or talks nonsense is told apart, within the time given"
) {
    const tests::temp_folder folder;
    struct row {
        const char* answer;
        bool close;
        errc code;
    };
    const row rows[] = {
        {"", false, errc::timed_out},
        {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", false, errc::timed_out},
        {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", true, errc::unavailable},
        {"", true, errc::unavailable},
        {"SSH-2.0-nonsense\r\n\r\n", true, errc::unavailable},
    };
    int n = 0;
    for (const auto& r : rows) {
        CAPTURE(r.answer, r.close);
        const auto path = (folder / std::to_string(n++)).string();
        one_answer server{path, r.answer, r.close};
        const auto start = std::chrono::steady_clock::now();
        const auto got = net::get_over_unix_socket(path, "/", 200ms);
        REQUIRE_FALSE(got.has_value());
        CHECK(got.error().code == r.code);
        CHECK(std::chrono::steady_clock::now() - start < 10s);
    }
}

TEST_CASE("a socket path that is too long is a mistake of the state folder's name") {
    const auto got = net::get_over_unix_socket("/" + std::string(200, 'x'), "/", 1s);
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().code == errc::invalid_argument);
}
