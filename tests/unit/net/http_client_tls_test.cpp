#include "tests/unit/net/http_client_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;

namespace {

const std::string here = "DNS:localhost,IP:127.0.0.1";

} // namespace

TEST_CASE("a server of a private CA is believed by who was given the CA, and by nobody else") {
    const temp_folder folder;
    const auto own = make_test_certificate(here);
    const auto other = make_test_certificate(here);
    const auto tls = server_tls(folder, own);
    scripted_server server{{answering(ok)}, tls.get()};
    http_client_fixture f;
    auto call = call_to(server.url());

    call.tls = trusting(own);
    const auto believed = f.send(call);
    INFO(complaint(believed));
    CHECK(believed.has_value());

    for (const auto& trust : {trusting(other), std::shared_ptr<const net::client_tls>{}}) {
        call.tls = trust;
        const auto refused = f.send(call);
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().code == errc::unprocessable);
        CHECK(says(refused.error().message, "127.0.0.1"));
        CHECK(says(refused.error().message, "ca.crt"));
    }
    CHECK(f.counted("unprocessable") == 2);
}

TEST_CASE("a name is sent in the handshake and looked for in the certificate") {
    const temp_folder folder;
    const auto own = make_test_certificate("DNS:localhost");
    const auto tls = server_tls(folder, own);
    notebook names;
    scripted_server server{
        {[&](server_end& end) {
            names.add(end.server_name());
            answering(ok)(end);
        }},
        tls.get()
    };
    {
        http_client_fixture f;
        auto call = call_to("https://localhost:" + std::to_string(server.port()));
        call.tls = trusting(own);
        const auto got = f.send(call);
        INFO(complaint(got));
        CHECK(got.has_value());
    }
    CHECK(names.all() == std::vector<std::string>{"localhost"});
}

TEST_CASE("a certificate for another host or from another time is told as such") {
    struct row {
        const char* names;
        int days;
        const char* told;
    };
    const row rows[] = {
        {"IP:127.0.0.9", 1, "for another host"},
        {"DNS:localhost", 1, "for another host"},
        {"IP:127.0.0.1", -1, "not valid now"},
    };
    for (const auto& r : rows) {
        CAPTURE(r.names);
        const temp_folder folder;
        const auto own = make_test_certificate(r.names, r.days);
        const auto tls = server_tls(folder, own);
        scripted_server server{{answering(ok)}, tls.get()};
        http_client_fixture f;
        auto call = call_to(server.url());
        call.tls = trusting(own);
        const auto got = f.send(call);
        REQUIRE_FALSE(got.has_value());
        CHECK(got.error().code == errc::unprocessable);
        INFO(got.error().message);
        CHECK(says(got.error().message, r.told));
    }
}

TEST_CASE("a client certificate is shown where it is asked for; without one the remedy is told") {
    const temp_folder folder;
    const auto own = make_test_certificate(here);
    const auto client = make_test_certificate("DNS:client");
    const auto stranger = make_test_certificate("DNS:client");
    const auto tls = server_tls(folder, own, client.certificate_pem);
    scripted_server server{{answering(ok)}, tls.get()};
    http_client_fixture f;
    auto call = call_to(server.url());
    const auto shown = [&](const test_certificate& c) {
        return std::make_shared<net::client_tls>(
            net::client_tls{own.certificate_pem, c.certificate_pem, secret_string{c.key_pem}}
        );
    };
    call.tls = shown(client);
    const auto let_in = f.send(call);
    INFO(complaint(let_in));
    CHECK(let_in.has_value());

    for (const auto& wrong :
         {trusting(own), std::shared_ptr<const net::client_tls>{shown(stranger)}}) {
        call.tls = wrong;
        call.method = "POST"; // the refusal arrives while we still send
        call.body = std::string(1 << 20, 'x');
        const auto refused = f.send(call);
        REQUIRE_FALSE(refused.has_value());
        INFO(refused.error().message);
        CHECK(refused.error().code == errc::unprocessable);
        CHECK(says(refused.error().message, "tls.crt"));
    }
}

TEST_CASE("PEM that cannot be used is named before anything is sent") {
    const temp_folder folder;
    const auto own = make_test_certificate(here);
    const auto other = make_test_certificate(here);
    const auto tls = server_tls(folder, own);
    scripted_server server{{answering(ok)}, tls.get()};
    http_client_fixture f;
    const auto told = [&](net::client_tls wrong) {
        auto call = call_to(server.url());
        call.tls = std::make_shared<net::client_tls>(std::move(wrong));
        const auto got = f.send(call);
        CHECK((!got && got.error().code == errc::unprocessable));
        return complaint(got);
    };
    CHECK(says(told({"junk", {}, {}}), "ca.crt"));
    CHECK(says(told({{}, "junk", {}}), "tls.crt"));
    CHECK(says(told({{}, own.certificate_pem, secret_string{other.key_pem}}), "tls.key"));
    CHECK(says(told({{}, own.certificate_pem, secret_string{"junk"}}), "tls.key"));
    CHECK(server.connections() == 0);
}

TEST_CASE("the second connection to a server resumes the session of the first") {
    const temp_folder folder;
    const auto own = make_test_certificate(here);
    const auto tls = server_tls(folder, own);
    notebook handshakes;
    scripted_server server{
        {[&](server_end& end) {
            handshakes.add(end.resumed() ? "resumed" : "whole");
            (void)end.read_head();
            end.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
            (void)end.wait_for_end();
        }},
        tls.get()
    };
    http_client_fixture f;
    for (int i = 0; i < 3; ++i) {
        auto call = call_to(server.url());
        call.tls = trusting(own); // another object, the same trust
        REQUIRE(f.send(call).has_value());
    }
    CHECK(handshakes.all() == std::vector<std::string>{"whole", "resumed", "resumed"});
}

TEST_CASE("http where https is spoken and the other way round is an error, not a wait") {
    const temp_folder folder;
    const auto own = make_test_certificate(here);
    const auto tls = server_tls(folder, own);
    scripted_server plain{{[](server_end& end) { end.send("HTTP/1.1 400 Bad Request\r\n\r\n"); }}};
    http_client_fixture f;
    auto call = call_to("https://127.0.0.1:" + std::to_string(plain.port()));
    const auto got = f.send(call);
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().code == errc::unavailable);
    CHECK(says(got.error().message, "TLS with 127.0.0.1"));
}

TEST_CASE("an answer without a length that TLS did not end is not believed to be whole") {
    const temp_folder folder;
    const auto own = make_test_certificate(here);
    const auto tls = server_tls(folder, own);
    scripted_server server{
        {[](server_end& end) {
            (void)end.read_head();
            end.send("HTTP/1.1 200 OK\r\n\r\nhalf a pack");
        }},
        tls.get()
    };
    http_client_fixture f;
    auto call = call_to(server.url());
    call.tls = trusting(own);
    const auto got = f.send(call);
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().code == errc::unavailable);
}
