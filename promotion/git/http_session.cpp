#include "promotion/git/http_session.hpp"

#include "base/bytes.hpp"
#include "promotion/git/http_refusal.hpp"
#include "promotion/git/loop_call.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace sluice::promotion::git {
namespace {

constexpr int most_redirects = 3;
constexpr std::size_t largest_advertisement = std::size_t{64} << 20U;
constexpr std::chrono::milliseconds longest_silence{60'000
}; // servers count objects and run hooks in silence
constexpr std::string_view info_refs = "/info/refs?service=git-upload-pack";

secret_string authorization(const login& l) {
    if (!l.bearer.empty()) return secret_string{fmt::format("Bearer {}", l.bearer.reveal())};
    if (l.username.empty() && l.password.empty()) return {};
    const secret_string pair{fmt::format("{}:{}", l.username, l.password.reveal())};
    return secret_string{"Basic " + to_base64(pair.reveal())};
}

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

using exchange_ptr = std::shared_ptr<net::http_exchange>;

struct begun {
    exchange_ptr exchange;
    net::http_answer head;
};

boost::asio::awaitable<result<begun>>
begin_exchange(net::http_client* client, net::http_call call) {
    auto opened = co_await client->open(std::move(call));
    if (!opened) co_return opened.error();
    begun out;
    out.exchange = std::move(*opened);
    auto head = co_await out.exchange->answer();
    if (!head) co_return head.error();
    out.head = std::move(*head);
    co_return out;
}

boost::asio::awaitable<result<std::string>> read_piece(exchange_ptr exchange) {
    auto piece = co_await exchange->read();
    co_return piece;
}

// What the loop must outlive: the exchange is used and dropped only there.
class loop_reply final : public http_reply {
public:
    loop_reply(
        boost::asio::io_context& loop,
        exchange_ptr e,
        std::chrono::steady_clock::time_point until,
        std::string name
    )
        : loop_(loop), exchange_(std::move(e)), until_(until), name_(std::move(name)) {}
    ~loop_reply() override {
        boost::asio::post(loop_, [e = std::move(exchange_)] {});
    }
    loop_reply(const loop_reply&) = delete;
    loop_reply& operator=(const loop_reply&) = delete;

    result<std::string> read() override {
        auto work = [e = exchange_] { return read_piece(e); };
        auto piece = call_on_loop<std::string>(loop_, until_, std::move(work));
        if (!piece) return with_name(name_, piece.error());
        return piece;
    }

private:
    boost::asio::io_context& loop_;
    exchange_ptr exchange_;
    std::chrono::steady_clock::time_point until_;
    std::string name_;
};

} // namespace

std::string_view to_string(service s) noexcept {
    return s == service::upload_pack ? "git-upload-pack" : "git-receive-pack";
}

http_session::http_session(const environment& env, const remote& r, net::url repository)
    : env_(env), login_(r.login), repository_(std::move(repository)), name_(repository_.text()) {
    begin();
}

void http_session::begin() {
    until_ = std::chrono::steady_clock::now() + env_.transfer_limit;
}

bool http_session::out_of_time() const {
    return std::chrono::steady_clock::now() > until_;
}

net::http_call http_session::call(std::string_view method, net::url to) const {
    net::http_call out;
    out.method = method;
    out.url = std::move(to);
    // Some servers show their sign-in page to whoever does not look like git.
    out.headers.emplace_back("User-Agent", "git/2.0 (sluice)");
    out.authorization = authorization(login_);
    out.tls = login_.tls;
    out.peer = "git";
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until_ - std::chrono::steady_clock::now()
    );
    out.deadlines.total = std::max(left, std::chrono::milliseconds{1});
    out.deadlines.connect = std::min(out.deadlines.connect, out.deadlines.total);
    out.deadlines.silence = std::min(longest_silence, out.deadlines.total);
    return out;
}

net::http_call http_session::post_call(service s, std::string body) const {
    auto out = call("POST", repository_.at(fmt::format("{}/{}", repository_.target, to_string(s))));
    out.headers.emplace_back("Content-Type", fmt::format("application/x-{}-request", to_string(s)));
    out.headers.emplace_back("Accept", fmt::format("application/x-{}-result", to_string(s)));
    out.body = std::move(body);
    return out;
}

error http_session::named(error e) const {
    return with_name(name_, std::move(e));
}

result<net::http_answer> http_session::send(net::http_call call) {
    auto work = [client = env_.client, c = std::move(call)]() mutable {
        return client->send(std::move(c));
    };
    auto answer = call_on_loop<net::http_answer>(*env_.loop, until_, std::move(work));
    if (!answer) return named(answer.error());
    return answer;
}

outcome http_session::check(
    const net::http_answer& answer, service s, std::string_view content_type
) const {
    const bool may_write = s == service::receive_pack;
    const bool has_login = !login_.bearer.empty() || !login_.password.empty();
    if (auto refused = refusal(answer, {content_type, may_write, has_login, login_.secret}))
        return named(std::move(*refused));
    return {};
}

outcome http_session::follow(const net::http_answer& redirect) {
    const auto location = redirect.header("Location").value_or("");
    auto to = location.starts_with('/') ? result<net::url>{repository_.at(location)}
                                        : net::parse_url(location);
    const auto refuse = [&](std::string_view why) {
        return named({errc::unprocessable, fmt::format("the server sends elsewhere, {}", why)});
    };
    if (!to) return refuse("to no usable URL; write the repository's new URL in the Pipeline");
    const bool upgraded = !repository_.secure() && to->secure();
    if (to->host != repository_.host || (!upgraded && to->authority() != repository_.authority()) ||
        (repository_.secure() && !to->secure()))
        return refuse(fmt::format(
            "to {}://{}: a login is never carried to another server; write the repository's new "
            "URL in the "
            "Pipeline",
            to->scheme,
            to->authority()
        ));
    if (!to->target.ends_with(info_refs))
        return refuse("to a page that is no repository (a sign-in page?)");
    to->target.resize(to->target.size() - info_refs.size());
    repository_ = std::move(*to);
    return {};
}

result<std::string> http_session::advertise() {
    for (int i = 0; i <= most_redirects; ++i) {
        auto ask = call("GET", repository_.at(repository_.target + std::string{info_refs}));
        ask.headers.emplace_back("Accept", "application/x-git-upload-pack-advertisement");
        ask.largest_answer = largest_advertisement;
        auto answer = send(std::move(ask));
        if (!answer) return answer.error();
        if (is_redirect(answer->status)) {
            if (auto followed = follow(*answer); !followed) return followed.error();
            continue;
        }
        auto right =
            check(*answer, service::upload_pack, "application/x-git-upload-pack-advertisement");
        if (!right) return right.error();
        return std::move(answer->body);
    }
    return named({errc::unprocessable, "the server redirects again and again"});
}

result<std::string> http_session::post(service s, std::string body) {
    auto answer = send(post_call(s, std::move(body)));
    if (!answer) return answer.error();
    auto right = check(*answer, s, fmt::format("application/x-{}-result", to_string(s)));
    if (!right) return right.error();
    return std::move(answer->body);
}

result<std::unique_ptr<http_reply>> http_session::open(service s, std::string body) {
    auto work = [client = env_.client, c = post_call(s, std::move(body))]() mutable {
        return begin_exchange(client, std::move(c));
    };
    auto got = call_on_loop<begun>(*env_.loop, until_, std::move(work));
    if (!got) return named(got.error());
    auto reply = std::make_unique<loop_reply>(*env_.loop, std::move(got->exchange), until_, name_);
    auto right = check(got->head, s, fmt::format("application/x-{}-result", to_string(s)));
    if (!right) return right.error();
    return std::unique_ptr<http_reply>{std::move(reply)};
}

} // namespace sluice::promotion::git
