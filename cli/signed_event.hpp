#pragma once

#include "base/result.hpp"

#include <filesystem>
#include <string>

namespace sluice::cli {

// A signed POST, as Flux sends it.
struct signed_post {
    std::string url;                // of the server and the path
    std::filesystem::path ca;       // whom to trust
    std::filesystem::path key_file; // what signs
    std::string body;
};

// The body of the answer to an event that was accepted; all else is an error that tells the answer.
[[nodiscard]] result<std::string> send_signed(const signed_post& post);

// What notification-controller sends when the HelmRelease podinfo is healthy in podinfo-<environment>.
[[nodiscard]] std::string healthy_event(const std::string& environment, const std::string& version);

} // namespace sluice::cli
