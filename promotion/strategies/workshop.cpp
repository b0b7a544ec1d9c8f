#include "promotion/strategies/workshop.hpp"

#include <fmt/format.h>

namespace sluice::promotion {

memory::circumstances workshop::circumstances_of(const task& t) const {
    memory::circumstances met;
    met.pipeline = t.pipeline;
    const auto to = destination_of(*t.policy);
    if (to && !to->secret.empty()) met.secret = home.secrets.find(t.pipeline->name.ns, to->secret);
    return met;
}

boost::asio::awaitable<result<promotion::credentials>>
workshop::login_for(std::string ns, destination to) const {
    if (to.secret.empty()) co_return promotion::credentials{}; // a repository of this machine
    auto secret = home.secrets.find(ns, to.secret);
    if (!secret && !home.secrets.available()) {
        co_return error(errc::unavailable, "the Secrets cannot be read now");
    }
    if (!secret) {
        co_return error(
            errc::unprocessable,
            fmt::format(
                "Secret {}/{} does not exist; make it with the login of {}",
                ns,
                to.secret,
                without_login(to.url)
            )
        );
    }
    auto resolved = co_await credentials.resolve(
        std::move(secret), fmt::format("{}/{}", ns, to.secret), to.type, to.url, to.api_url
    );
    co_return resolved;
}

} // namespace sluice::promotion
