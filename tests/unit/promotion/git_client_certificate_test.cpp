#include "promotion/credentials.hpp"
#include "tests/unit/promotion/git_https_fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

using namespace sluice;
using namespace sluice::tests;
using Catch::Matchers::Contains;
using promotion::git::ref_result;

namespace {

const std::string branch = "promotion-default-podinfo-prod";
using secret_keys = std::map<std::string, std::string>;

struct client_certificate {
    std::string certificate;
    std::string key;
};

// Two authorities with a client each, made once: of the first the server knows.
class authorities {
public:
    static const authorities& made() {
        static const authorities one;
        return one;
    }
    [[nodiscard]] std::string known() const { return text("known.crt"); }
    [[nodiscard]] client_certificate client() const { return {text("ours.crt"), text("ours.key")}; }
    [[nodiscard]] client_certificate stranger() const {
        return {text("theirs.crt"), text("theirs.key")};
    }

private:
    authorities() {
        make("known", "-addext keyUsage=critical,keyCertSign");
        make("unknown", "-addext keyUsage=critical,keyCertSign");
        make("ours", leaf + "-CA known.crt -CAkey known.key");
        make("theirs", leaf + "-CA unknown.crt -CAkey unknown.key");
    }
    void make(const std::string& name, const std::string& more) const {
        sh(fmt::format(
            "cd '{0}' && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
            "-days 2 -subj /CN={1} -keyout {1}.key -out {1}.crt {2}",
            folder_.path().string(),
            name,
            more
        ));
    }
    [[nodiscard]] std::string text(std::string_view name) const {
        return read_file(folder_ / name, 1U << 20U).value();
    }

    const std::string leaf = "-addext basicConstraints=critical,CA:FALSE "
                             "-addext extendedKeyUsage=clientAuth ";
    temp_folder folder_;
};

// A git server that talks to nobody without a certificate of the authority it knows.
struct guarded_git : git_https {
    explicit guarded_git(bool old_tls) : git_https(demanding(old_tls)) {}

    // As a person writes it: docs/forges.md, "The Secret".
    [[nodiscard]] secret_keys secret() const {
        return {{"username", "flux"}, {"password", std::string{password}}, {"ca.crt", ca}};
    }
    [[nodiscard]] secret_keys secret(const client_certificate& shown) const {
        auto keys = secret();
        keys["tls.crt"] = shown.certificate;
        keys["tls.key"] = shown.key;
        return keys;
    }
    [[nodiscard]] result<promotion::credentials> resolve(const secret_keys& keys) {
        auto secret = std::make_shared<home::secret>();
        for (const auto& [key, value] : keys) secret->data.emplace(key, secret_string{value});
        const auto type = pipeline::forge::git;
        return boost::asio::co_spawn(
                   loop,
                   source_.resolve(secret, "default/fleet-login", type, url(), ""),
                   boost::asio::use_future
        )
            .get();
    }

private:
    static git_https_setup demanding(bool old_tls) {
        git_https_setup how;
        how.client_ca = authorities::made().known();
        how.old_tls = old_tls;
        return how;
    }

    system_clock clock_;
    promotion::credential_source source_{client, clock_};
};

} // namespace

TEST_CASE("a git server that demands a client certificate takes the one of the Secret") {
    for (const bool old_tls : {false, true}) {
        CAPTURE(old_tls);
        guarded_git s{old_tls};
        const auto login = s.resolve(s.secret(authorities::made().client()));
        REQUIRE(login.has_value());
        auto repository = s.git_machine::open(s.url(), login->login);
        const auto p = prepare(*repository, "6.1.8");
        const auto pushed = repository->push({{branch, "", p.commit}});
        REQUIRE(pushed.has_value());
        CHECK(pushed->at(0).result == ref_result::done);
        CHECK(s.origin.tip(branch) == p.commit);
    }
}

TEST_CASE("without the client certificate a git server demands, the keys to add are told") {
    for (const bool old_tls : {false, true}) {
        guarded_git s{old_tls};
        const auto login = s.resolve(s.secret());
        REQUIRE(login.has_value());
        const auto e = s.fetch_error(login->login, s.url());
        CAPTURE(old_tls, e.message);
        CHECK(e.code == errc::unprocessable); // asking again and again would not help
        CHECK_THAT(e.message, Contains(s.url()) && Contains("wants a client certificate"));
        CHECK_THAT(e.message, Contains("tls.crt and tls.key in the Secret"));
        CHECK_FALSE(std::filesystem::exists(s.folder / "requests"));
    }
}

TEST_CASE("a client certificate of an authority the git server does not know is told as such") {
    for (const bool old_tls : {false, true}) {
        guarded_git s{old_tls};
        const auto stranger = authorities::made().stranger();
        const auto login = s.resolve(s.secret(stranger));
        REQUIRE(login.has_value());
        const auto e = s.fetch_error(login->login, s.url());
        CAPTURE(old_tls, e.message);
        CHECK(e.code == errc::unprocessable);
        CHECK_THAT(e.message, Contains(s.url()) && Contains("not accept our client certificate"));
        CHECK_THAT(e.message, Contains("tls.crt and tls.key in the Secret"));
        CHECK_THAT(e.message, !Contains("PRIVATE KEY") && !Contains("correct horse"));
        CHECK_FALSE(std::filesystem::exists(s.folder / "requests"));
    }
}

TEST_CASE("half a client certificate is found in the Secret before anything is sent") {
    guarded_git s{/*old_tls=*/false};
    for (const auto* missing : {"tls.crt", "tls.key"}) {
        auto keys = s.secret(authorities::made().client());
        keys.erase(missing);
        const auto login = s.resolve(keys);
        REQUIRE_FALSE(login.has_value());
        CHECK(login.error().code == errc::unprocessable);
        CHECK_THAT(login.error().message, Contains("Secret default/fleet-login"));
        CHECK_THAT(login.error().message, Contains("both tls.crt and tls.key"));
    }
    // The key of another certificate: only together are they wrong.
    auto keys = s.secret(authorities::made().client());
    keys["tls.key"] = authorities::made().stranger().key;
    const auto login = s.resolve(keys);
    REQUIRE(login.has_value());
    const auto e = s.fetch_error(login->login, s.url());
    CHECK(e.code == errc::unprocessable);
    CHECK_THAT(e.message, Contains("tls.key"));
    CHECK_THAT(e.message, !Contains("PRIVATE KEY"));
}
