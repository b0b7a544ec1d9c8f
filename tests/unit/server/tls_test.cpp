#include "tests/unit/server/server_fixture.hpp"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

using namespace sluice;
using namespace sluice::tests;

namespace {

void serve_one(wire_client& client) {
    REQUIRE(client.connected());
    client.send(get("/hello"));
    const auto answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 202);
}

wire_options only(int version) {
    wire_options o;
    o.min_version = version;
    o.max_version = version;
    return o;
}

std::string serial_of(const wire_client& client) {
    X509* certificate = SSL_get1_peer_certificate(client.ssl());
    BIGNUM* number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr);
    char* text = BN_bn2hex(number);
    std::string serial = text;
    OPENSSL_free(text);
    BN_free(number);
    X509_free(certificate);
    return serial;
}

void copy_over(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
}

// A client's certificate: self-signed, for any purpose.
net::tls_files client_files(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    net::tls_files files{folder / "client.crt", folder / "client.key", {}};
    const net::evp_pkey_ptr key{EVP_EC_gen("P-256")};
    const net::x509_ptr made{X509_new()};
    X509_set_version(made.get(), X509_VERSION_3);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), key.get());
    const std::string name = folder.filename().string();
    X509_NAME_add_entry_by_txt(
        X509_get_subject_name(made.get()),
        "CN",
        MBSTRING_UTF8,
        reinterpret_cast<const unsigned char*>(name.c_str()),
        -1,
        -1,
        0
    );
    X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
    X509_sign(made.get(), key.get(), EVP_sha256());
    const net::bio_ptr certificate{BIO_new_file(files.certificate.c_str(), "w")};
    PEM_write_bio_X509(certificate.get(), made.get());
    const net::bio_ptr secret{BIO_new_file(files.key.c_str(), "w")};
    PEM_write_bio_PKCS8PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return files;
}

boost::asio::awaitable<http::response> accepted(http::request&, const server::params&) {
    co_return http::response{202};
}

} // namespace

TEST_CASE("TLS 1.2 and 1.3 are served, a session is resumed in both") {
    server_fixture fixture;
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        wire_client first(fixture.https, only(version));
        serve_one(first);
        CHECK(SSL_version(first.ssl()) == version);
        SSL_SESSION* session = SSL_get1_session(first.ssl());
        auto again = only(version);
        again.resume = session;
        wire_client second(fixture.https, again);
        serve_one(second);
        CHECK(SSL_session_reused(second.ssl()) == 1);
        SSL_SESSION_free(session);
    }
    CHECK(fixture.counted("sluice_tls_handshakes_total", {{"outcome", "ok"}}) == 4);
}

TEST_CASE("TLS 1.1 is refused") {
    server_fixture fixture;
    wire_client client(fixture.https, only(TLS1_1_VERSION));
    CHECK_FALSE(client.connected());
}

TEST_CASE(
    "a client that insists on P-521, which costs us much, is refused; the pinned groups are served"
) {
    server_fixture fixture;
    wire_options options;
    options.groups = "P-521";
    CHECK_FALSE(wire_client(fixture.https, options).connected());
    for (const char* group : {"X25519", "P-256", "P-384"}) {
        options.groups = group;
        wire_client client(fixture.https, options);
        serve_one(client);
    }
}

TEST_CASE("a client may not renegotiate") {
    server_fixture fixture;
    wire_client client(fixture.https, only(TLS1_2_VERSION));
    serve_one(client);
    SSL_renegotiate(client.ssl());
    CHECK(SSL_do_handshake(client.ssl()) != 1);
}

TEST_CASE("http/1.1 is chosen when offered, a client that speaks h2 alone is told no") {
    server_fixture fixture;
    wire_options options;
    options.alpn = "http/1.1";
    wire_client client(fixture.https, options);
    serve_one(client);
    const unsigned char* chosen = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(client.ssl(), &chosen, &length);
    CHECK(std::string(reinterpret_cast<const char*>(chosen), length) == "http/1.1");
    options.alpn = "h2";
    CHECK_FALSE(wire_client(fixture.https, options).connected());
}

TEST_CASE("the self-signed certificate can be trusted as a CA and names the loopback") {
    server_fixture fixture;
    wire_options options;
    options.ca = (fixture.folder.path() / "tls" / "tls.crt").string();
    wire_client client(fixture.https, options);
    serve_one(client);
    CHECK(SSL_get_verify_result(client.ssl()) == X509_V_OK);
}

TEST_CASE(
    "a new certificate serves new connections while old ones live on, a broken one changes nothing"
) {
    server_fixture fixture;
    const auto live = fixture.folder.path() / "tls";
    const auto other = net::self_signed_files(fixture.folder.path() / "other", {});
    REQUIRE(other.has_value());

    wire_client before(fixture.https);
    serve_one(before);
    copy_over(other->certificate, live / "tls.crt"); // the key is still the old one's
    const auto broken = fixture.tls->reload();
    REQUIRE_FALSE(broken.has_value());
    CHECK(broken.error().message.find("tls.key") != std::string::npos);
    wire_client during(fixture.https);
    serve_one(during);
    CHECK(serial_of(during) == serial_of(before));

    copy_over(other->key, live / "tls.key");
    REQUIRE(fixture.tls->reload().has_value());
    wire_client after(fixture.https);
    serve_one(after);
    CHECK(serial_of(after) != serial_of(before));
    serve_one(before);
}

TEST_CASE("with a client CA only clients with its certificate get in") {
    temp_folder folder;
    const auto ours = net::self_signed_files(folder.path() / "server", {});
    REQUIRE(ours.has_value());
    const auto theirs = client_files(folder.path() / "theirs");
    const auto strangers = client_files(folder.path() / "strangers");
    auto files = *ours;
    files.client_ca = theirs.certificate;
    const auto tls = net::tls_context::load(files);
    REQUIRE(tls.has_value());
    observe::registry registry;
    const server::router routes({{"GET", "/hello", "hello", accepted}});
    server::http_server server({}, 1, registry);
    const auto url = server.listen("https://127.0.0.1:0", routes, tls->get());
    REQUIRE(url.has_value());
    server.start();

    const auto connect = [&](const net::tls_files& who, SSL_SESSION* resume) {
        wire_options options;
        options.resume = resume;
        options.certificate = who.certificate.string();
        options.key = who.key.string();
        return std::make_unique<wire_client>(*url, options);
    };
    const auto answered = [](wire_client& client) {
        client.send(get("/hello"));
        return client.answer().has_value();
    };
    wire_client nobody(*url);
    CHECK_FALSE(answered(nobody));
    CHECK_FALSE(answered(*connect(strangers, nullptr)));
    const auto first = connect(theirs, nullptr);
    CHECK(answered(*first));
    SSL_SESSION* session = SSL_get1_session(first->ssl());
    const auto second = connect(theirs, session);
    CHECK(answered(*second));
    CHECK(SSL_session_reused(second->ssl()) == 1);
    SSL_SESSION_free(session);
}
