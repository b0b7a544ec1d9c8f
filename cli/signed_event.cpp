#include "cli/signed_event.hpp"

#include "auth/sign.hpp"
#include "base/files.hpp"
#include "base/rfc3339.hpp"
#include "net/http_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::cli {
namespace {

constexpr std::size_t largest_key = std::size_t{64} << 10U;

result<net::http_answer> send(net::http_call call) {
    boost::asio::io_context loop{1};
    observe::registry metrics;
    net::http_client client{loop, metrics, {}};
    auto sending = client.send(std::move(call));
    auto answer = boost::asio::co_spawn(loop, std::move(sending), boost::asio::use_future);
    while (answer.wait_for(std::chrono::seconds{0}) != std::future_status::ready) loop.run_one();
    client.stop();
    return answer.get();
}

} // namespace

result<std::string> send_signed(const signed_post& post) {
    auto key = read_file(post.key_file, largest_key);
    if (!key) return key.error();
    auto ca = read_file(post.ca, largest_key);
    if (!ca) return ca.error();
    auto url = net::parse_url(post.url);
    if (!url) return url.error();

    auth::signing_order order;
    order.body = post.body;
    order.now = system_clock{}.now();
    const auto headers = auth::sign(secret_string{std::move(*key)}, order);
    if (!headers) return headers.error();

    auto trusted = std::make_shared<net::client_tls>();
    trusted->ca_pem = std::move(*ca);
    net::http_call call;
    call.method = "POST";
    call.url = std::move(*url);
    call.headers = {{"Content-Type", "application/json"}};
    for (const auto& h : *headers) call.headers.emplace_back(h.name, h.value);
    call.body = post.body;
    call.tls = std::move(trusted);
    call.peer = "sluice";
    auto answer = send(std::move(call));
    if (!answer) return answer.error();
    if (answer->status == 202) return std::move(answer->body);
    return error{errc::unavailable, fmt::format("answered {}: {}", answer->status, answer->body)};
}

std::string healthy_event(const std::string& environment, const std::string& version) {
    const nlohmann::ordered_json event{
        {"involvedObject",
         {{"kind", "HelmRelease"},
          {"namespace", "podinfo-" + environment},
          {"name", "podinfo"},
          {"uid", "7d0cdc51-ddcf-4743-b223-83ca5c699632"},
          {"apiVersion", "helm.toolkit.fluxcd.io/v2"},
          {"resourceVersion", "1201"}}},
        {"severity", "info"},
        {"timestamp", format_rfc3339(system_clock{}.now())},
        {"message",
         fmt::format(
             "Helm upgrade succeeded for release podinfo-{}/podinfo.v2 with chart podinfo@{}",
             environment,
             version
         )},
        {"reason", "UpgradeSucceeded"},
        {"metadata", {{"app-version", version}, {"revision", version}}},
        {"reportingController", "helm-controller"},
        {"reportingInstance", "helm-controller-6f9d8c7b5-x2x7k"},
    };
    return event.dump();
}

} // namespace sluice::cli
