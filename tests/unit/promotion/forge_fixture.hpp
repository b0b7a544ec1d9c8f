#pragma once

#include "net/http_client.hpp"
#include "promotion/forge/forge.hpp"
#include "promotion/forge/rate_limits.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/promotion/forge_impostor.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <string>

// A failed check shows the error, and asks for no way to print what it is about.
template <class T>
struct Catch::StringMaker<sluice::result<T>> {
    static std::string convert(const sluice::result<T>& r) {
        return r ? std::string{"a result"}
                 : std::string{sluice::to_string(r.error().code)} + ": " + r.error().message;
    }
};

namespace sluice::tests {

using nlohmann::json;
namespace forge = promotion::forge;
using pipeline::merge_method;
using pipeline::pull_request_state;

inline const std::string api_token = "t0p-secret-token";
inline const std::string branch = "promotion-default-podinfo-prod";
inline const std::string head_commit = "0123456789abcdef0123456789abcdef01234567";
inline const time_point noon{std::chrono::seconds{1'790'000'000}};

// A forge, its impostor, and a loop that runs while a test waits.
class forge_fixture {
public:
    forge_fixture(pipeline::forge type, const std::string& name, const std::string& path)
        : impostor(loop, name), limits(time, metrics, {80, 500, std::chrono::milliseconds{0}}) {
        strategy.type = type;
        strategy.url = impostor.url() + path;
        login.token = secret_string{api_token};
        login.identity = "token 1";
        make();
    }

    // Again, after strategy or login changed.
    void make() {
        forge::connection c;
        c.client = &client;
        c.limits = &limits;
        api = forge::make(c, strategy, login).value();
    }

    template <class T>
    T run(boost::asio::awaitable<T> work) {
        using namespace std::chrono_literals;
        auto done = boost::asio::co_spawn(loop, std::move(work), boost::asio::use_future);
        loop.restart();
        while (done.wait_for(0s) != std::future_status::ready && loop.run_one_for(20s) > 0) {
        }
        if (done.wait_for(0s) != std::future_status::ready) throw std::runtime_error("never done");
        return done.get();
    }

    [[nodiscard]] result<forge::view> create(bool is_draft = false) {
        forge::draft d;
        d.head = branch;
        d.base = "main";
        d.title = "Promote default/podinfo in prod to 6.1.8";
        d.body = "why, from where, and what changes";
        d.is_draft = is_draft;
        return run(api->create(std::move(d)));
    }
    [[nodiscard]] result<std::optional<forge::view>> find() {
        return run(api->find_open(branch, "main"));
    }

    boost::asio::io_context loop{1};
    observe::registry metrics;
    manual_clock time{noon};
    forge_impostor impostor;
    net::http_client client{loop, metrics, {}};
    forge::rate_limits limits;
    pipeline::pull_request_strategy strategy;
    promotion::credentials login;
    std::unique_ptr<forge::api> api;
};

// The view a test starts from.
[[nodiscard]] inline forge::view open_view(std::int64_t number, const std::string& handle = "") {
    forge::view v;
    v.is.number = number;
    v.is.head = head_commit;
    v.handle = handle;
    return v;
}

[[nodiscard]] inline bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace sluice::tests
