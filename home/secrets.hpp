#pragma once

#include "base/result.hpp"
#include "base/secret_string.hpp"
#include "home/pipelines.hpp"

#include <boost/asio/awaitable.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace sluice::home {

// One Kubernetes Secret or one folder SECRETS/<namespace>/<name>/ with one file per key.
struct secret {
    std::map<std::string, secret_string, std::less<>> data;
    std::uint64_t generation =
        0; // differs whenever the content does, so that derived key rings can be cached
};
using secret_ptr = std::shared_ptr<const secret>;

class secrets {
public:
    virtual ~secrets() = default;

    [[nodiscard]] virtual bool available() const = 0;
    // What is known now, without waiting. Null when there is none of that name. From any thread.
    [[nodiscard]] virtual secret_ptr find(std::string_view ns, std::string_view name) const = 0;
    // Reads it again after a signature did not match: one flight, at most every 10 s per Secret.
    [[nodiscard]] virtual boost::asio::awaitable<secret_ptr>
    refresh(std::string ns, std::string name) = 0;
    [[nodiscard]] virtual part_health health() const = 0;
};

} // namespace sluice::home
