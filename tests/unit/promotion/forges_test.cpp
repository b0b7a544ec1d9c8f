#include "promotion/forge/rate_limits.hpp"
#include "promotion/strategies/forges.hpp"
#include "tests/support/catch.hpp"

#include <utility>

using namespace sluice;
using namespace sluice::promotion;

namespace {

task some_task() {
    pipeline::definition d;
    d.name = {"default", "podinfo"};
    d.environments.push_back({});
    d.environments.back().name = "prod";
    d.promotion.emplace();
    pipeline::pull_request_strategy how;
    how.type = pipeline::forge::gitea;
    how.url = "https://git.example.com/org/fleet";
    d.promotion->strategy.how = how;
    pipeline::promotion p;
    p.id = {d.name, "prod", "1.1.0"};
    return *make_task(std::move(p), std::make_shared<const pipeline::definition>(std::move(d)));
}

credentials some_login() {
    credentials c;
    c.username = "bot";
    c.password = secret_string{"p"};
    c.tls = std::make_shared<const net::client_tls>();
    return c;
}

} // namespace

TEST_CASE("a new CA, client certificate, name, password or token of the Secret reaches the forge") {
    boost::asio::io_context loop{1};
    observe::registry metrics;
    manual_clock time{time_point{}};
    net::http_client client{loop, metrics, {}};
    forge::rate_limits limits{time, metrics};
    forges known{forge::connection{&client, &limits}, forge::make};
    const auto t = some_task();
    auto login = some_login();
    auto before = known.of(t, login).value();
    const auto is_another = [&] {
        const auto now = known.of(t, login).value();
        return std::exchange(before, now) != now;
    };
    CHECK_FALSE(is_another());
    login.tls = std::make_shared<const net::client_tls>();
    CHECK(is_another());
    login.username = "other";
    CHECK(is_another());
    login.password = secret_string{"new"};
    CHECK(is_another());
    login.token = secret_string{"t"};
    CHECK(is_another());
    CHECK_FALSE(is_another());
}
