#include "lint/opened_repository.hpp"

#include "observe/metrics.hpp"
#include "promotion/credentials.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <thread>

namespace sluice::lint {
namespace {

namespace fs = std::filesystem;
namespace asio = boost::asio;

constexpr std::string_view file_scheme = "file://";

// Gone when the check ends.
class scratch_folder {
public:
    scratch_folder() {
        auto pattern = (fs::temp_directory_path() / "sluice-lint-XXXXXX").string();
        if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    ~scratch_folder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    [[nodiscard]] const fs::path& path() const noexcept { return path_; }

private:
    fs::path path_; // empty: it could not be made
};

} // namespace

result<repository_place> find_repository(const std::string& given) {
    const bool is_file = given.starts_with(file_scheme);
    if (!is_file && given.find("://") != std::string::npos)
        return repository_place{.url = given, .is_local = false};
    std::error_code failed;
    const auto folder = fs::canonical(is_file ? given.substr(file_scheme.size()) : given, failed);
    if (failed) {
        return error{
            errc::not_found,
            fmt::format(
                "{}: {}; name a URL or a folder with a git repository", given, failed.message()
            )
        };
    }
    return repository_place{.url = "file://" + folder.string(), .is_local = true};
}

struct opened_repository::impl {
    scratch_folder scratch;
    observe::registry metrics;
    system_clock clock;
    asio::io_context loop{1};
    asio::executor_work_guard<asio::io_context::executor_type> busy{loop.get_executor()};
    net::http_client client;
    promotion::credential_source credentials{client, clock};
    std::thread thread{[this] { loop.run(); }};
    std::unique_ptr<promotion::git::repository> git;

    explicit impl(const net::http_client::options& http) : client(loop, metrics, http) {}
    ~impl() {
        git.reset();
        busy.reset();
        loop.stop();
        thread.join();
    }
    impl(const impl&) = delete;
    impl& operator=(const impl&) = delete;

    [[nodiscard]] result<promotion::git::login>
    log_in(const repository_place& place, const repository_login& how) {
        if (place.is_local || !how.secret) return promotion::git::login{};
        auto resolving =
            credentials.resolve(how.secret, how.secret_name, how.type, place.url, how.api_url);
        auto resolved = asio::co_spawn(loop, std::move(resolving), asio::use_future).get();
        if (!resolved) return resolved.error();
        return std::move(resolved->login);
    }
};

opened_repository::opened_repository(std::unique_ptr<impl> i) : impl_(std::move(i)) {}
opened_repository::~opened_repository() = default;

promotion::git::repository& opened_repository::git() noexcept {
    return *impl_->git;
}

result<std::unique_ptr<opened_repository>> opened_repository::open(
    const repository_place& place,
    const repository_login& login,
    const net::http_client::options& http
) {
    auto inside = std::make_unique<impl>(http);
    if (inside->scratch.path().empty())
        return error{errc::unavailable, "no folder can be made for temporary files; set TMPDIR"};
    auto logged_in = inside->log_in(place, login);
    if (!logged_in) return logged_in.error();
    promotion::git::environment env;
    env.caches = inside->scratch.path();
    if (place.is_local) env.local_repositories = place.url.substr(file_scheme.size());
    env.client = &inside->client;
    env.loop = &inside->loop;
    env.metrics = &inside->metrics;
    promotion::git::remote remote;
    remote.url = place.url;
    remote.login = std::move(*logged_in);
    auto opened = promotion::git::repository::open(env, std::move(remote));
    if (!opened) return opened.error();
    inside->git = std::move(*opened);
    return std::unique_ptr<opened_repository>{new opened_repository{std::move(inside)}};
}

} // namespace sluice::lint
