#include "config/consistency.hpp"

#include "base/duration.hpp"
#include "config/bytes_text.hpp"
#include "net/address.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace sluice::config {
namespace {

bool leaves_machine_in_the_clear(const std::string& url) {
    const auto place = net::parse_listen_url(url);
    if (!place || place->transport != net::transport::http) return false;
    const auto address = place->resolve();
    return address && !address->is_loopback();
}

} // namespace

std::vector<contradiction> contradictions(const settings& s) {
    std::vector<contradiction> found;
    const bool any_https =
        std::any_of(s.listen.begin(), s.listen.end(), [](const std::string& url) {
            return url.starts_with("https://");
        });
    if (s.listen.empty()) {
        found.push_back(
            {{"listen"}, "listen: is empty; name at least one place, such as https://127.0.0.1:8443"
            }
        );
    }
    if (s.tls.certificate.empty() != s.tls.key.empty()) {
        found.push_back(
            {{"tls.cert", "tls.key"},
             fmt::format(
                 "tls: {0} is set and {1} is not; a certificate needs its key: set tls.{1} too",
                 s.tls.certificate.empty() ? "key" : "cert",
                 s.tls.certificate.empty() ? "cert" : "key"
             )}
        );
    }
    if (!s.tls.client_ca.empty() && !any_https) {
        found.push_back(
            {{"tls.client-ca", "listen"},
             "tls.client-ca: no https:// listener asks for certificates; add one to listen or "
             "remove it"}
        );
    }
    if (s.limits.body_bytes > s.limits.unverified_bytes) {
        found.push_back(
            {{"limits.body", "limits.unverified-bodies"},
             fmt::format(
                 "limits.body: {} is more than all bodies together may take ({}); raise "
                 "limits.unverified-bodies",
                 format_bytes(static_cast<std::int64_t>(s.limits.body_bytes)),
                 format_bytes(static_cast<std::int64_t>(s.limits.unverified_bytes))
             )}
        );
    }
    if (s.promotion.longest_retry < s.promotion.first_retry) {
        found.push_back(
            {{"promotion.longest-retry", "promotion.first-retry"},
             fmt::format(
                 "promotion.longest-retry: {} is less than promotion.first-retry ({}); raise it",
                 format_duration(s.promotion.longest_retry),
                 format_duration(s.promotion.first_retry)
             )}
        );
    }
    return found;
}

std::vector<std::string> doubts(const settings& s) {
    std::vector<std::string> found;
    for (const auto& url : s.listen) {
        if (!leaves_machine_in_the_clear(url)) continue;
        found.push_back(fmt::format(
            "{} takes events over plain HTTP from other machines: anyone on the way can read them; "
            "prefer https://",
            url
        ));
    }
    for (const auto& name : s.auth.allow_unsigned) {
        found.push_back(fmt::format(
            "{} takes unsigned events: anyone who reaches the listener can promote", name
        ));
    }
    for (const auto& name : s.auth.weave_approvals) {
        found.push_back(fmt::format(
            "{} takes Weave's constant approval signature: whoever has seen it once can approve "
            "everything there, for ever; move its callers to sluice sign --scheme bound",
            name
        ));
    }
    return found;
}

} // namespace sluice::config
