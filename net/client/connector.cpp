#include "net/client/connector.hpp"

#include "net/client/answer_reader.hpp"
#include "net/client/dial.hpp"
#include "net/client/request_head.hpp"

#include <fmt/format.h>

#include <array>

namespace sluice::net::client {

namespace asio = boost::asio;

namespace {

error not_reached(const proxy& through, error why) {
    why.message = fmt::format(
        "the proxy {} is not reached: {}; check HTTPS_PROXY, HTTP_PROXY and NO_PROXY",
        through.name(),
        why.message
    );
    why.detail = why.message;
    return why;
}

// A tunnel to the peer. Nothing follows the proxy's head: a TLS server is silent until we speak.
asio::awaitable<outcome>
tunnel(connection& link, url peer, const proxy& through, call_clock& time) {
    time.connecting("the proxy " + through.name());
    const auto head = connect_head(peer, through);
    auto sent = co_await link.write(head.reveal(), time);
    if (!sent) co_return sent.error();

    answer_reader answer{"the proxy " + through.name(), /*without_body=*/true};
    std::array<char, 4096> buffer{};
    while (!answer.has_head()) {
        auto got = co_await link.read(buffer, time);
        if (!got) co_return got.error();
        auto taken = *got == 0 ? answer.end() : answer.take({buffer.data(), *got});
        if (!taken) co_return taken.error();
    }
    const int status = answer.take_head().status;
    if (status / 100 != 2) co_return refused_by(through, peer, status);
    co_return outcome{};
}

} // namespace

error refused_by(const proxy& through, const url& peer, int status) {
    if (status == 407) {
        return {
            errc::unprocessable,
            fmt::format(
                "the proxy {} wants another login; give it in {} as http://USER:PASSWORD@HOST:PORT",
                through.name(),
                peer.secure() ? "HTTPS_PROXY" : "HTTP_PROXY"
            )
        };
    }
    return {
        errc::unavailable,
        fmt::format(
            "the proxy {} answers {} when asked for {}; let it reach that host, or name the host "
            "in NO_PROXY",
            through.name(),
            status,
            peer.authority()
        )
    };
}

asio::awaitable<result<std::unique_ptr<connection>>>
connect(url peer, const proxy* through, std::shared_ptr<tls_identity> identity, call_clock& time) {
    const auto host = through != nullptr ? through->host : peer.host;
    const auto port = through != nullptr ? through->port : peer.port;
    auto socket = co_await dial(host, port, time);
    if (!socket && through != nullptr) co_return not_reached(*through, socket.error());
    if (!socket) co_return socket.error();
    auto link = std::make_unique<connection>(std::move(*socket));
    if (!identity) co_return link;

    if (through != nullptr) {
        auto open = co_await tunnel(*link, peer, *through, time);
        if (!open) co_return open.error();
    }
    time.connecting("the TLS handshake");
    auto shaken = co_await link->handshake(std::move(identity), peer, time);
    if (!shaken) co_return shaken.error();
    co_return link;
}

} // namespace sluice::net::client
