#include "promotion/git/http_refusal.hpp"

#include "net/http.hpp"

#include <fmt/format.h>

#include <charconv>

namespace sluice::promotion::git {
namespace {

// Seconds only; a date is left to our own backoff.
std::optional<std::chrono::seconds> retry_after(const net::http_answer& answer) {
    const auto text = answer.header("Retry-After").value_or("");
    int seconds = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (failed != std::errc{} || end != text.data() + text.size() || seconds < 0) return {};
    return std::chrono::seconds{seconds};
}

error later(errc code, const net::http_answer& answer) {
    error out{
        code,
        fmt::format("the server answered {} {}", answer.status, http::reason_phrase(answer.status))
    };
    out.retry_after = retry_after(answer);
    return out;
}

error permanent(const net::http_answer& answer, std::string_view what) {
    return {errc::unprocessable, fmt::format("the server answered {}: {}", answer.status, what)};
}

std::string_view media_type(const net::http_answer& answer) {
    auto type = answer.header("Content-Type").value_or("");
    type = type.substr(0, type.find(';'));
    while (type.ends_with(' ')) type.remove_suffix(1);
    return type;
}

std::string named(std::string_view secret) {
    return secret.empty() ? "the Secret" : fmt::format("Secret {}", secret);
}

std::string login_remedy(const expectation& expected) {
    if (!expected.has_login) {
        return "it wants a login; give the strategy a `secretRef` whose Secret has `username` and "
               "`password`";
    }
    return fmt::format(
        "it does not know this login; check `username` and `password`, or `bearerToken`, of {}",
        named(expected.secret)
    );
}

std::string rights_remedy(const expectation& expected) {
    if (expected.writes) {
        return fmt::format(
            "the login may not write here; give the token of {} (`password`) write access to the "
            "repository's contents, or unarchive it where it is archived",
            named(expected.secret)
        );
    }
    return fmt::format(
        "the login may not read here; give the token of {} (`password`) access to the repository",
        named(expected.secret)
    );
}

} // namespace

std::optional<error> refusal(const net::http_answer& answer, const expectation& expected) {
    const int status = answer.status;
    const bool html = http::equal_ignoring_case(media_type(answer), "text/html");
    if (status == 200) {
        if (http::equal_ignoring_case(media_type(answer), expected.content_type)) return {};
        return permanent(
            answer,
            html ? "a web page, perhaps to sign in, where git was expected; check `url` of the "
                   "Pipeline and the "
                   "login of the Secret"
                 : "something that is not git's smart HTTP; check `url` of the Pipeline"
        );
    }
    if (status == 429 || (status == 403 && retry_after(answer)))
        return later(errc::too_many_requests, answer);
    if (status == 408 || status >= 500) return later(errc::unavailable, answer);
    if (status == 401) return permanent(answer, login_remedy(expected));
    if (status == 403) return permanent(answer, rights_remedy(expected));
    if (status == 404 || status == 410)
        return permanent(
            answer,
            "there is no repository, or the login may not see it; check `url` of the Pipeline and "
            "the token of the "
            "Secret (`password`)"
        );
    if (status == 413)
        return error{
            errc::payload_too_large, "the server answered 413: what is pushed is too large for it"
        };
    return permanent(answer, "unexpected; check `url` of the Pipeline");
}

error with_name(std::string_view repository, error e) {
    e.message = fmt::format("{}: {}", repository, e.message);
    e.detail = fmt::format("{}: {}", repository, e.detail);
    return e;
}

} // namespace sluice::promotion::git
