#pragma once

#include "embedded/ledger_options.hpp"
#include "net/tls_context.hpp"
#include "observe/log.hpp"
#include "promotion/executor.hpp"
#include "server/approval_handler.hpp"
#include "server/event_handler.hpp"
#include "server/limits.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

// Everything an operator can set, with its default. The table in table.cpp names each for file, flag and environment.
namespace sluice::config {

struct log_options {
    log::format format = log::format::text;
    log::level level = log::level::info;
};

struct auth_options {
    std::vector<std::string> allow_unsigned;  // "namespace/pipeline"
    std::vector<std::string> weave_approvals; // "namespace/pipeline"
    std::chrono::milliseconds freshness = intake::options{}.freshness;
    std::chrono::milliseconds unauthorized_delay = server::door_options{}.unauthorized_delay;
    auth::failure_limits failures;
    std::vector<std::string> trusted_proxies; // networks
    auth::bucket_limits senders;
};

struct promotion_options {
    std::size_t workers = promotion::executor_options{}.workers;
    std::chrono::milliseconds poll = promotion::executor_options{}.poll_every;
    std::chrono::milliseconds look_at_failed = promotion::executor_options{}.look_at_failed;
    std::chrono::milliseconds wedged_after = promotion::executor_options{}.wedged_after;
    std::chrono::milliseconds first_retry = promotion::executor_options{}.first_retry;
    std::chrono::milliseconds longest_retry = promotion::executor_options{}.longest_retry;
    std::string author_name = promotion::executor_options{}.author.name;
    std::string author_email = promotion::executor_options{}.author.email;
    std::string events_address; // empty: the strategy `notification` has nowhere to tell
};

struct shutdown_options {
    // 0: with one replica a delay would only prolong the outage. Behind a load balancer give it time to look away.
    std::chrono::milliseconds drain_delay{0};
    std::chrono::milliseconds drain_grace{20'000};
};

struct settings {
    std::string pipelines = "/etc/sluice/pipelines";
    std::string secrets = "/etc/sluice/secrets";
    std::string state = "/var/lib/sluice";
    std::string local_repositories; // empty: no file:// repositories
    std::vector<std::string> listen{"https://127.0.0.1:8443"};
    std::string admin = "127.0.0.1:8081";
    std::size_t threads = 0; // 0: one per core
    // Empty: a self-signed certificate is made in the state folder on first start.
    net::tls_files tls;
    log_options log;
    server::limits limits;
    auth_options auth;
    embedded::ledger_options ledger;
    promotion_options promotion;
    shutdown_options shutdown;
};

} // namespace sluice::config
