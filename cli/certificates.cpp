#include "cli/certificates.hpp"

#include "base/rfc3339.hpp"
#include "net/address.hpp"
#include "net/self_signed.hpp"
#include "observe/log.hpp"

#include <filesystem>

namespace sluice::cli {
namespace {

result<net::tls_files> choose_files(const config::settings& s) {
    if (!s.tls.certificate.empty()) return s.tls;
    std::vector<std::string> hosts;
    for (const auto& url : s.listen) {
        if (const auto place = net::parse_listen_url(url)) hosts.push_back(place->host);
    }
    auto made = net::self_signed_files(std::filesystem::path{s.state} / "tls", hosts);
    if (made) made->client_ca = s.tls.client_ca;
    return made;
}

} // namespace

certificates::certificates(
    std::unique_ptr<net::tls_context> context, const clock& clock, observe::registry& metrics
)
    : context_(std::move(context)), clock_(clock), reloads_(metrics, "certificates") {
    metrics.gauge_of(
        "sluice_certificate_expiry_seconds",
        "Unix time at which the certificate in use ends.",
        {},
        [c = context_.get()] {
            return static_cast<double>(c->not_after().time_since_epoch().count()) / 1e3;
        }
    );
}

result<std::unique_ptr<certificates>>
certificates::open(const config::settings& s, const clock& clock, observe::registry& metrics) {
    const auto files = choose_files(s);
    if (!files) return files.error();
    file_watch::options watched;
    watched.roots = {files->certificate, files->key};
    if (!files->client_ca.empty()) watched.roots.push_back(files->client_ca);
    auto watch = std::make_unique<file_watch>(std::move(watched));
    auto context = net::tls_context::load(*files);
    if (!context) return context.error();
    std::unique_ptr<certificates> made{new certificates{std::move(*context), clock, metrics}};
    made->watch_ = std::move(watch);
    made->watch_->start([c = made.get()] { return c->reload(); });
    return made;
}

bool certificates::reload() {
    const auto loaded = context_->reload();
    const auto problem = loaded ? std::string{} : loaded.error().message;
    const auto ends = format_rfc3339(context_->not_after());
    if (loaded) {
        reloads_.ok.add();
        log::info("certificate read again", {{"notAfter", ends}});
    } else if (problem != told()) {
        reloads_.failed.add();
        log::error(
            "certificate not usable, the last good one stays",
            {{"problem", problem}, {"notAfter", ends}}
        );
    }
    const std::lock_guard lock{mutex_};
    told_ = problem;
    return problem.empty();
}

std::string certificates::told() const {
    const std::lock_guard lock{mutex_};
    return told_;
}

home::part_health certificates::health() const {
    if (auto problem = told(); !problem.empty()) return {"certificates", false, std::move(problem)};
    if (context_->not_after() <= clock_.now()) {
        return {
            "certificates",
            false,
            "expired at " + format_rfc3339(context_->not_after()) + "; renew it"
        };
    }
    return {"certificates", true, ""};
}

} // namespace sluice::cli
