#pragma once

#include "base/result.hpp"
#include "home/secrets.hpp"
#include "net/http_client.hpp"
#include "pipeline/pipeline.hpp"
#include "promotion/git/repository.hpp"

#include <memory>
#include <string>

namespace sluice::lint {

// What `--repository` names: a URL, or a folder on this machine with a repository in it.
struct repository_place {
    std::string url; // file:// for a folder
    bool is_local = false;
};
[[nodiscard]] result<repository_place> find_repository(const std::string& given);

struct repository_login {
    home::secret_ptr secret; // null: none is known
    std::string secret_name;
    pipeline::forge type = pipeline::forge::git;
    std::string api_url;
};

// A repository for the time of a check: its cache is in a folder that goes with it, the network has a thread of its own.
class opened_repository {
public:
    [[nodiscard]] static result<std::unique_ptr<opened_repository>> open(
        const repository_place& place,
        const repository_login& login,
        const net::http_client::options& http
    );
    ~opened_repository();
    opened_repository(const opened_repository&) = delete;
    opened_repository& operator=(const opened_repository&) = delete;

    [[nodiscard]] promotion::git::repository& git() noexcept;

private:
    struct impl;
    explicit opened_repository(std::unique_ptr<impl> i);
    std::unique_ptr<impl> impl_;
};

} // namespace sluice::lint
