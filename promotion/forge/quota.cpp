#include "promotion/forge/quota.hpp"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace sluice::promotion::forge {
namespace {

constexpr std::chrono::seconds longest_wait = std::chrono::hours{1};
constexpr std::chrono::seconds first_wait = std::chrono::minutes{1};

std::optional<std::int64_t> number(std::optional<std::string_view> text) {
    if (!text) return std::nullopt;
    std::int64_t value = 0;
    const auto* const end = text->data() + text->size();
    const auto [rest, ec] = std::from_chars(text->data(), end, value);
    if (ec != std::errc{} || rest != end || value < 0) return std::nullopt;
    return value;
}

std::optional<time_point> http_date(std::string_view text) {
    tm parts{};
    const std::string copy{text};
    const char* const rest = ::strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    if (rest == nullptr || *rest != '\0') return std::nullopt;
    return time_point{std::chrono::seconds{::timegm(&parts)}};
}

std::chrono::seconds up(std::chrono::milliseconds d) {
    return std::chrono::ceil<std::chrono::seconds>(d);
}

std::optional<std::chrono::seconds> retry_after(const net::http_answer& answer, time_point now) {
    const auto text = answer.header("retry-after");
    if (!text) return std::nullopt;
    if (const auto seconds = number(text)) {
        return std::chrono::seconds{std::min<std::int64_t>(*seconds, longest_wait.count())};
    }
    const auto date = http_date(*text);
    if (!date) return std::nullopt;
    return std::max(up(*date - now), std::chrono::seconds{0});
}

std::optional<time_point> reset_time(const net::http_answer& answer, time_point now) {
    auto value = number(answer.header("x-ratelimit-reset"));
    if (!value) value = number(answer.header("ratelimit-reset"));
    if (!value) return std::nullopt;
    // An epoch; proxies that follow the later draft of RateLimit-* send seconds from now.
    constexpr std::int64_t year_2001 = 1'000'000'000;
    constexpr std::int64_t year_2286 = 9'999'999'999;
    const std::chrono::seconds seconds{std::min(*value, year_2286)};
    return *value < year_2001 ? now + seconds : time_point{seconds};
}

bool speaks_of_limits(std::string_view body) {
    return body.find("rate limit") != std::string_view::npos ||
           body.find("abuse detection") != std::string_view::npos;
}

} // namespace

quota_report read_quota(const net::http_answer& answer, time_point now) {
    quota_report told;
    told.remaining = number(answer.header("x-ratelimit-remaining"));
    if (!told.remaining) told.remaining = number(answer.header("ratelimit-remaining"));
    told.reset = reset_time(answer, now);
    told.retry_after = retry_after(answer, now);
    // GitHub says 403 for "too many" and for "not allowed"; only the rest of the answer tells them apart.
    told.refused = answer.status == 429 ||
                   (answer.status == 403 && (told.retry_after.has_value() || told.remaining == 0 ||
                                             speaks_of_limits(answer.body)));
    return told;
}

void quota::learn(const quota_report& told, time_point now) {
    if (told.remaining) remaining_ = told.remaining;
    const bool none_left = told.remaining == 0 && told.reset.has_value();
    if (!told.refused) {
        refusals_ = 0;
        if (none_left) blocked_until_ = std::min(*told.reset, now + longest_wait);
        return;
    }
    auto wait = longest_wait;
    if (told.retry_after) {
        wait = *told.retry_after;
    } else if (none_left && *told.reset > now) {
        wait = up(*told.reset - now);
    } else {
        wait = first_wait * (1U << static_cast<unsigned>(std::min(refusals_++, 6)));
    }
    const auto bounded = std::clamp(wait, std::chrono::seconds{1}, longest_wait);
    blocked_until_ = std::max(blocked_until_, now + bounded);
}

std::chrono::seconds quota::wait(time_point now) const {
    const auto left = std::min<std::chrono::milliseconds>(blocked_until_ - now, longest_wait);
    return left.count() > 0 ? up(left) : std::chrono::seconds{0};
}

} // namespace sluice::promotion::forge
