#include "tests/unit/net/http_client_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
namespace asio = boost::asio;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20U;

struct transferred {
    std::size_t bytes = 0;
    std::size_t largest_piece = 0;
    std::string message;
    int status = 0;

    transferred() = default;
};

asio::awaitable<transferred>
transfer(net::http_client& client, net::http_call call, std::size_t pieces, std::size_t size) {
    transferred all;
    auto opened = co_await client.open(std::move(call));
    if (!opened) {
        all.message = opened.error().message;
        co_return all;
    }
    auto& exchange = **opened;
    for (std::size_t i = 0; i < pieces; ++i) {
        auto written = co_await exchange.write(std::string(size, 'u'));
        if (!written) {
            all.message = written.error().message;
            co_return all;
        }
    }
    auto head = co_await exchange.answer();
    if (!head) {
        all.message = head.error().message;
        co_return all;
    }
    all.status = head->status;
    for (;;) {
        auto piece = co_await exchange.read();
        if (!piece) all.message = piece.error().message;
        if (!piece || piece->empty()) co_return all;
        all.bytes += piece->size();
        all.largest_piece = std::max(all.largest_piece, piece->size());
    }
}

net::http_call upload_to(const std::string& url) {
    auto call = call_to(url);
    call.method = "POST";
    call.chunked = true;
    return call;
}

} // namespace

TEST_CASE("packs of tens of megabytes stream both ways over TLS in pieces of bounded size") {
    const temp_folder folder;
    const auto own = make_test_certificate("IP:127.0.0.1");
    const auto tls = server_tls(folder, own);
    std::atomic<std::size_t> uploaded{0};
    scripted_server server{
        {[&](server_end& end) {
            while (!end.read_head().empty()) {
                uploaded += end.read_chunked();
                end.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                const std::string mebibyte(mib, 'd');
                for (int i = 0; i < 48; ++i) {
                    if (!end.send("100000\r\n" + mebibyte + "\r\n")) return;
                }
                end.send("0\r\n\r\n");
            }
        }},
        tls.get()
    };
    http_client_fixture f;
    auto call = upload_to(server.url());
    call.tls = trusting(own);
    for (int i = 0; i < 2; ++i) {
        const auto all = f.run(transfer(f.client, call, 320, mib / 8));
        INFO(all.message);
        CHECK(all.status == 200);
        CHECK(all.bytes == 48 * mib);
        CHECK(all.largest_piece <= std::size_t{64} << 10U);
    }
    CHECK(uploaded == 2 * 40 * mib);
    CHECK(server.connections() == 1);
}

TEST_CASE("a small streamed body is sent again when its pooled connection had died") {
    notebook bodies;
    const auto die_on_second = [](server_end& end) {
        (void)end.read_head();
        end.send(ok);
        (void)end.read_head();
    };
    const auto take = [&](server_end& end) {
        (void)end.read_head();
        std::string body;
        (void)end.read_chunked(&body);
        bodies.add(body);
        end.send(ok);
    };
    scripted_server server{{die_on_second, take}};
    http_client_fixture f;
    REQUIRE(f.send(call_to(server.url())).has_value());
    const auto all = f.run(transfer(f.client, upload_to(server.url()), 3, 100));
    INFO(all.message);
    CHECK(all.status == 200);
    CHECK(bodies.all() == std::vector{std::string(300, 'u')});
}

TEST_CASE("a refusal that comes before the whole body was sent is the answer") {
    const temp_folder folder;
    const auto own = make_test_certificate("IP:127.0.0.1");
    const auto tls = server_tls(folder, own);
    for (const net::tls_context* with : {static_cast<net::tls_context*>(nullptr), tls.get()}) {
        scripted_server server{
            {[](server_end& end) {
                (void)end.read_head();
                end.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno");
            }},
            with
        };
        http_client_fixture f;
        auto call = upload_to(server.url());
        call.tls = trusting(own);
        const auto all = f.run(transfer(f.client, call, 64, mib));
        INFO(all.message);
        CHECK(all.status == 413);
        CHECK(all.bytes == 2);
    }
}

TEST_CASE("a pack cut in the middle is an error, never a short pack") {
    scripted_server server{{[](server_end& end) {
        (void)end.read_head();
        (void)end.read_chunked();
        end.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n");
        end.send(std::string(1000, 'd'));
        end.vanish();
    }}};
    http_client_fixture f;
    const auto all = f.run(transfer(f.client, upload_to(server.url()), 1, 10));
    CHECK(all.status == 200);
    CHECK_FALSE(all.message.empty());
    CHECK(f.counted("unavailable") == 1);
}

TEST_CASE("an exchange dropped before its end closes its connection and frees its place") {
    scripted_server server{{[](server_end& end) {
        (void)end.read_head();
        end.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf");
        (void)end.wait_for_end();
    }}};
    net::http_client::options o;
    o.connections_per_peer = 1;
    http_client_fixture f{o};
    auto drop = [&]() -> asio::awaitable<int> {
        auto opened = co_await f.client.open(call_to(server.url()));
        auto head = co_await (*opened)->answer();
        co_return head->status;
    };
    for (int i = 0; i < 3; ++i) CHECK(f.run(drop()) == 200);
    CHECK(server.connections() == 3);
}
