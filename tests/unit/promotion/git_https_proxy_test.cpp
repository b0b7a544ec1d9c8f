#include "tests/unit/promotion/git_https_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
using Catch::Matchers::Contains;
using promotion::git::ref_result;

namespace {

const std::string branch = "promotion-default-podinfo-prod";

// A proxy that wants the login user:p@ss, or one that answers everybody the same.
class small_proxy {
public:
    explicit small_proxy(int answer = 0) : server_(script(), arguments(answer)) {}

    // As HTTPS_PROXY and HTTP_PROXY would have it.
    [[nodiscard]] net::http_client::options with_login(std::string_view login) const {
        net::http_client::options o;
        o.https_proxy = fmt::format("http://{}@{}", login, address());
        o.http_proxy = o.https_proxy;
        return o;
    }
    [[nodiscard]] std::string address() const {
        return server_.url().substr(std::string_view{"http://"}.size());
    }
    // "METHOD TARGET" of every request, which is noted before it is answered.
    [[nodiscard]] std::vector<std::string> asked() const {
        std::ifstream log{folder_ / "asked"};
        std::vector<std::string> lines;
        for (std::string line; std::getline(log, line);) lines.push_back(line);
        return lines;
    }

private:
    static std::filesystem::path script() {
        return source_tree() / "tests/support_py/http_proxy.py";
    }
    [[nodiscard]] std::vector<std::string> arguments(int answer) const {
        folder_.write("login", "user:p@ss");
        return {
            "--log",
            (folder_ / "asked").string(),
            "--login-file",
            (folder_ / "login").string(),
            "--answer",
            std::to_string(answer)
        };
    }

    temp_folder folder_;
    git_server server_;
};

git_https_setup
through(const small_proxy& proxy, bool tls, std::string_view login = "user:p%40ss") {
    git_https_setup how;
    how.tls = tls;
    how.http = proxy.with_login(login);
    return how;
}

// Fetches, patches and pushes; the commit that is on the branch then.
std::string promoted(const git_https& s) {
    auto repository = s.git_machine::open(s.named_url(), s.login());
    const auto p = prepare(*repository, "6.1.8");
    const auto pushed = repository->push({{branch, "", p.commit}});
    REQUIRE(pushed.has_value());
    CHECK(pushed->at(0).result == ref_result::done);
    CHECK(s.origin.tip(branch) == p.commit);
    return p.commit;
}

std::string authority_of(const git_https& s) {
    return net::parse_url(s.named_url()).value().authority();
}

} // namespace

TEST_CASE("where only a proxy leads out, a promotion goes through its tunnel and TLS is with the "
          "git server") {
    const small_proxy proxy;
    const git_https s{through(proxy, /*tls=*/true)};
    REQUIRE_FALSE(promoted(s).empty());
    // Of the requests inside the proxy sees nothing.
    const auto asked = proxy.asked();
    CHECK_FALSE(asked.empty());
    for (const auto& line : asked) CHECK(line == "CONNECT " + authority_of(s));
    CHECK_THAT(s.requests(3), Contains("git-receive-pack"));
}

TEST_CASE("a repository without TLS is asked of the proxy, and the git server's login arrives") {
    const small_proxy proxy;
    const git_https s{through(proxy, /*tls=*/false)};
    REQUIRE_FALSE(promoted(s).empty());
    const auto url = s.named_url();
    const std::vector expected{
        "GET " + url + "/info/refs?service=git-upload-pack",
        "POST " + url + "/git-upload-pack",
        "POST " + url + "/git-receive-pack"
    };
    CHECK(proxy.asked() == expected);
}

TEST_CASE("a repository on this machine is reached directly, whatever proxy is set") {
    const small_proxy proxy{502};
    const git_https s{through(proxy, /*tls=*/true)};
    CHECK(s.open()->fetch({"main"}).has_value());
    CHECK(proxy.asked().empty());
}

TEST_CASE("a proxy that refuses is named with the remedy, and its password is not repeated") {
    struct row {
        int answer;
        bool tls;
        errc code;
        const char* told;
        const char* remedy;
    };
    const row rows[] = {
        {0, true, errc::unprocessable, "wants another login", "HTTPS_PROXY as http://USER"},
        {0, false, errc::unprocessable, "wants another login", "HTTP_PROXY as http://USER"},
        {407, true, errc::unprocessable, "wants another login", "HTTPS_PROXY as http://USER"},
        {502, true, errc::unavailable, "answers 502 when asked for git.test", "NO_PROXY"},
        {502, false, errc::unavailable, "answers 502 when asked for git.test", "NO_PROXY"},
        {403, true, errc::unavailable, "answers 403 when asked for git.test", "NO_PROXY"},
    };
    for (const auto& r : rows) {
        const small_proxy proxy{r.answer};
        const git_https s{through(proxy, r.tls, "user:canary")};
        const auto e = s.fetch_error(s.login(), s.named_url());
        CAPTURE(r.answer, r.tls, e.message);
        CHECK(e.code == r.code);
        for (const auto& text : {e.message, e.detail}) {
            CHECK_THAT(text, Contains(s.named_url()) && Contains("the proxy " + proxy.address()));
            CHECK_THAT(text, Contains(r.told) && Contains(r.remedy));
            // Neither as it was given nor as it is sent ("user:canary" in base64).
            CHECK_THAT(text, !Contains("canary") && !Contains("dXNlcjpjYW5hcnk"));
        }
        CHECK(proxy.asked().size() == 1);
        CHECK_FALSE(std::filesystem::exists(s.folder / "requests"));
    }
}

TEST_CASE("a proxy that is down is not mistaken for the git server") {
    git_https_setup how;
    {
        const small_proxy gone;
        how = through(gone, /*tls=*/true, "user:canary");
    }
    const git_https s{how};
    const auto e = s.fetch_error(s.login(), s.named_url());
    CAPTURE(e.message);
    CHECK(e.code == errc::unavailable);
    CHECK_THAT(e.message, Contains("the proxy 127.0.0.1:") && Contains("HTTPS_PROXY"));
    CHECK_THAT(e.message, !Contains("canary"));
}
