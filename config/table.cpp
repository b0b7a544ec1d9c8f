#include "config/checks.hpp"
#include "config/setting.hpp"
#include "config/settings.hpp"

#include <array>
#include <limits>

namespace sluice::config {
namespace {

constexpr std::array<std::string_view, 2> formats{"text", "json"};
constexpr std::array<std::string_view, 4> levels{"debug", "info", "warn", "error"};

constexpr std::int64_t KiB = 1024;
constexpr std::int64_t MiB = 1024 * KiB;
constexpr std::int64_t GiB = 1024 * MiB;

using namespace std::chrono_literals;
using o = settings;
using limits = server::limits;
using ledger = embedded::ledger_options;
using retention = embedded::retention_options;

// Ranges keep what is set workable: a limit of nothing refuses everybody, one without bound protects nobody.
// clang-format off
const setting table[] = {
    {"pipelines", "--pipelines", text<&o::pipelines>(not_empty),
     "folder of Pipeline files (YAML)"},
    {"secrets", "--secrets", text<&o::secrets>(not_empty),
     "folder of secrets: NAMESPACE/NAME/KEY, one file per key"},
    {"state", "--state", text<&o::state>(not_empty),
     "folder of all that must survive; one process at a time"},
    {"local-repositories", "--local-repositories", text<&o::local_repositories>(),
     "folder below which file:// repositories are allowed; none: nowhere"},
    {"listen", "--listen", list<&o::listen>(listen_url),
     "where events are taken, https:// or http://; may be several"},
    {"admin", "--admin", text<&o::admin>(address_and_port),
     "where /healthz, /readyz and /metrics are"},
    {"threads", "--threads", count<&o::threads>(0, 256),
     "network threads; 0: one per core"},

    {"tls.cert", "--tls-cert", text<&o::tls, &net::tls_files::certificate>(),
     "certificate chain (PEM); none: self-signed, made in the state folder"},
    {"tls.key", "--tls-key", text<&o::tls, &net::tls_files::key>(),
     "private key of the certificate (PEM)"},
    {"tls.client-ca", "--tls-client-ca", text<&o::tls, &net::tls_files::client_ca>(),
     "CA certificates (PEM); with it every client must show a certificate of theirs"},

    {"log.format", "--log-format", choice<&o::log, &log_options::format>(formats),
     "how log lines are written"},
    {"log.level", "--log-level", choice<&o::log, &log_options::level>(levels),
     "the least level that is written"},

    {"limits.headers", "--limit-headers",
     bytes<&o::limits, &limits::header_bytes>(4 * KiB, 16 * MiB),
     "request line and headers; beyond: 431"},
    {"limits.header-fields", "--limit-header-fields",
     count<&o::limits, &limits::header_fields>(16, 65'536),
     "header fields of one request; beyond: 431"},
    {"limits.body", "--limit-body", bytes<&o::limits, &limits::body_bytes>(1 * KiB, 1 * GiB),
     "one request body; beyond: 413"},
    {"limits.unverified-bodies", "--limit-unverified-bodies",
     bytes<&o::limits, &limits::unverified_bytes>(1 * KiB, 64 * GiB),
     "what requests have above 4KiB each before their signature is verified, in all; beyond: 503"},
    {"limits.chunk-extensions", "--limit-chunk-extensions",
     bytes<&o::limits, &limits::chunk_extension_bytes>(0, 1 * MiB),
     "chunk extensions of one body; beyond: 400"},
    {"limits.trailers", "--limit-trailers", bytes<&o::limits, &limits::trailer_bytes>(0, 1 * MiB),
     "trailers of one body; beyond: 431"},
    {"limits.header-read", "--limit-header-read",
     duration<&o::limits, &limits::header_read>(100ms, 1h),
     "time from the first byte to the end of the headers; then 408"},
    {"limits.body-read", "--limit-body-read", duration<&o::limits, &limits::body_read>(100ms, 1h),
     "time from the headers to the end of the body; then 408"},
    {"limits.idle", "--limit-idle", duration<&o::limits, &limits::idle>(100ms, 1h),
     "an idle connection is closed after this"},
    {"limits.tls-handshake", "--limit-tls-handshake",
     duration<&o::limits, &limits::tls_handshake>(100ms, 1h),
     "time for the TLS handshake"},
    {"limits.write", "--limit-write", duration<&o::limits, &limits::write>(100ms, 1h),
     "time for a client to read its answer"},
    {"limits.linger", "--limit-linger", duration<&o::limits, &limits::linger>(0ms, 1h),
     "time for a refused client to finish sending, so that it reads why"},
    {"limits.connections", "--limit-connections",
     count<&o::limits, &limits::connections>(1, 1'000'000),
     "connections in all; beyond: 503"},
    {"limits.connections-per-address", "--limit-connections-per-address",
     count<&o::limits, &limits::connections_per_address>(1, 1'000'000),
     "connections of one address (IPv6: one /64); beyond: 503"},
    {"limits.refusals", "--limit-refusals", count<&o::limits, &limits::refusals>(0, 100'000),
     "connections beyond the caps that are told why; the others are closed at once"},

    {"auth.allow-unsigned", "--allow-unsigned",
     list<&o::auth, &auth_options::allow_unsigned>(pipeline_name),
     "pipelines (NAMESPACE/NAME) whose events need no signature"},
    {"auth.weave-approvals", "--allow-weave-approvals",
     list<&o::auth, &auth_options::weave_approvals>(pipeline_name),
     "pipelines (NAMESPACE/NAME) that Weave's constant signature may approve"},
    {"auth.freshness", "--auth-freshness", duration<&o::auth, &auth_options::freshness>(1s, 24h),
     "how far an event's signed time may be from now; beyond: 422"},
    {"auth.unauthorized-delay", "--auth-unauthorized-delay",
     duration<&o::auth, &auth_options::unauthorized_delay>(0ms, 10s),
     "every 401 leaves after exactly this, whatever its cause; below 100ms a slow disk may show which"},
    {"auth.failures-per-minute", "--auth-failures-per-minute",
     count<&o::auth, &auth_options::failures, &auth::failure_limits::failures>(1, 1'000'000'000),
     "failed signatures of one address; beyond: 429 instead of 401"},
    {"auth.trusted-proxies", "--trusted-proxies",
     list<&o::auth, &auth_options::trusted_proxies>(network),
     "networks (CIDR) whose X-Forwarded-For is believed"},
    {"auth.sender-rate", "--auth-sender-rate",
     count<&o::auth, &auth_options::senders, &auth::bucket_limits::per_second>(1, 1'000'000),
     "verified events of one pipeline a second; beyond: 429"},
    {"auth.sender-burst", "--auth-sender-burst",
     count<&o::auth, &auth_options::senders, &auth::bucket_limits::burst>(1, 1'000'000),
     "verified events of one pipeline at once"},

    {"ledger.queue", "--ledger-queue", count<&o::ledger, &ledger::queue_limit>(1, 1'000'000),
     "events waiting for the disk; beyond: 503"},
    {"ledger.slow-after", "--ledger-slow-after",
     duration<&o::ledger, &ledger::slow_after>(10ms, 1h),
     "an event that waited this long for the disk is answered 503"},
    {"ledger.wal-limit", "--ledger-wal-limit",
     bytes<&o::ledger, &ledger::wal_limit>(1 * MiB, 64 * GiB),
     "size at which the write-ahead log starts again from its beginning"},
    {"ledger.recall-limit", "--ledger-recall-limit",
     count<&o::ledger, &ledger::recall_limit>(1, 100'000'000),
     "events remembered by their bytes, so that a repeated one gets the first answer (about 300 bytes each)"},
    {"ledger.keep-promotions", "--ledger-keep-promotions",
     duration<&o::ledger, &ledger::retention, &retention::promotions_for>(1h, 876'000h),
     "how long ended promotions are kept, with their history"},
    {"ledger.keep-observations", "--ledger-keep-observations",
     duration<&o::ledger, &ledger::retention, &retention::observations_for>(1h, 876'000h),
     "how long events that were accepted are kept"},

    {"promotion.workers", "--promotion-workers",
     count<&o::promotion, &promotion_options::workers>(1, 64),
     "repositories at work at once"},
    {"promotion.poll", "--promotion-poll",
     duration<&o::promotion, &promotion_options::poll>(1s, 24h),
     "how often open pull requests are looked at where no webhook tells"},
    {"promotion.look-at-failed", "--promotion-look-at-failed",
     duration<&o::promotion, &promotion_options::look_at_failed>(1s, 24h),
     "how often the base branch of failed promotions is looked at, to open them again when it moved"},
    {"promotion.wedged-after", "--promotion-wedged-after",
     duration<&o::promotion, &promotion_options::wedged_after>(10s, 24h),
     "a repository at work this long turns /healthz red; longer than any fetch or push may take"},
    {"promotion.first-retry", "--promotion-first-retry",
     duration<&o::promotion, &promotion_options::first_retry>(10ms, 1h),
     "wait before the first try again; doubled each time, with full jitter"},
    {"promotion.longest-retry", "--promotion-longest-retry",
     duration<&o::promotion, &promotion_options::longest_retry>(10ms, 24h),
     "the longest wait between two tries"},
    {"promotion.author-name", "--promotion-author-name",
     text<&o::promotion, &promotion_options::author_name>(author_part),
     "author of commits"},
    {"promotion.author-email", "--promotion-author-email",
     text<&o::promotion, &promotion_options::author_email>(author_part),
     "e-mail address of that author"},
    {"promotion.events-address", "--events-address",
     text<&o::promotion, &promotion_options::events_address>(http_url),
     "notification-controller (http:// or https://), which the strategy notification tells"},

    {"shutdown.drain-delay", "--drain-delay",
     duration<&o::shutdown, &shutdown_options::drain_delay>(0ms, 1h),
     "after SIGTERM: /readyz says 503 this long before connections are refused"},
    {"shutdown.drain-grace", "--drain-grace",
     duration<&o::shutdown, &shutdown_options::drain_grace>(0ms, 1h),
     "then: time for requests in hand to finish"},
};
// clang-format on

} // namespace

std::span<const setting> all_settings() {
    return table;
}

std::string setting::environment() const {
    std::string name = "SLUICE_";
    for (const char c : flag.substr(2)) {
        name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    return name;
}

} // namespace sluice::config
