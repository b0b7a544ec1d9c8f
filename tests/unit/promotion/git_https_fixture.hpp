#pragma once

#include "base/files.hpp"
#include "base/unique_fd.hpp"
#include "net/self_signed.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/unit/promotion/git_fixture.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>

#include <thread>

extern char** environ;

// A real git http-backend behind a TLS server on loopback, and the client's loop on a thread of its own.
namespace sluice::tests {

class git_server {
public:
    git_server(const std::filesystem::path& script, std::vector<std::string> arguments) {
        std::array<int, 2> input{};
        std::array<int, 2> output{};
        if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0)
            throw std::runtime_error("pipe");
        const unique_fd read_end{input[0]};
        const unique_fd write_end{output[1]};
        input_ = unique_fd{input[1]};
        const unique_fd says{output[0]};
        arguments.insert(arguments.begin(), {"python3", script.string()});
        std::vector<char*> argv;
        for (auto& a : arguments) argv.push_back(a.data());
        argv.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, read_end.get(), 0);
        ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), 1);
        const int failed =
            ::posix_spawnp(&pid_, "python3", &actions, nullptr, argv.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        if (failed != 0) throw std::runtime_error("python3");
        url_ = first_line(says.get());
    }
    ~git_server() {
        input_ = {}; // it ends when its input does
        int status = 0;
        ::waitpid(pid_, &status, 0);
    }
    git_server(const git_server&) = delete;
    git_server& operator=(const git_server&) = delete;

    [[nodiscard]] const std::string& url() const { return url_; }

private:
    static std::string first_line(int fd) {
        std::string line;
        for (;;) {
            ::pollfd ready{fd, POLLIN, 0};
            char c = 0;
            if (::poll(&ready, 1, 20'000) != 1 || ::read(fd, &c, 1) != 1)
                throw std::runtime_error("the git server does not start");
            if (c == '\n') return line;
            line += c;
        }
    }

    unique_fd input_;
    ::pid_t pid_ = -1;
    std::string url_;
};

struct git_https_setup {
    bool tls = true;
    net::http_client::options http = {};
    std::string client_ca = {}; // PEM; with it every client must show a certificate of that CA
    bool old_tls = false;       // nothing newer than TLS 1.2
};

struct git_https : git_machine {
    static constexpr std::string_view password = "correct horse";
    git_origin origin{folder};
    boost::asio::io_context loop{1};
    net::http_client client;
    std::unique_ptr<git_server> server;
    std::string ca;

    explicit git_https(bool tls = true) : git_https(git_https_setup{tls}) {}
    explicit git_https(const git_https_setup& how) : client(loop, metrics, how.http) {
        env.client = &client;
        env.loop = &loop;
        env.transfer_limit = std::chrono::seconds{60};
        std::filesystem::create_directory(folder / "tls");
        const auto files = net::self_signed_files(folder / "tls", {"git.test"});
        if (!files) throw std::runtime_error(files.error().message);
        ca = read_file(files->certificate, 1U << 20U).value();
        folder.write("password", password);
        folder.write("token", "bearer-token");
        std::vector<std::string> arguments{"--root", folder.path().string(), "--username", "flux"};
        const auto add = [&](std::string name, const std::filesystem::path& value) {
            arguments.push_back(std::move(name));
            arguments.push_back(value.string());
        };
        add("--password-file", folder / "password");
        add("--token-file", folder / "token");
        add("--control", folder / "fault");
        add("--log", folder / "requests");
        if (how.tls) add("--cert", files->certificate);
        if (how.tls) add("--key", files->key);
        if (!how.client_ca.empty()) {
            folder.write("clients.crt", how.client_ca);
            add("--client-ca", folder / "clients.crt");
        }
        if (how.old_tls) arguments.emplace_back("--old-tls");
        server = std::make_unique<git_server>(
            source_tree() / "tests/support_py/git_server.py", std::move(arguments)
        );
        origin.git("config http.receivepack true");
        origin.write("prod/podinfo.yaml", manifest("6.1.0"));
        origin.commit("first");
        thread_ = std::thread{[this] { loop.run(); }};
    }
    ~git_https() {
        boost::asio::post(loop, [this] { client.stop(); });
        work_.reset();
        thread_.join();
    }
    git_https(const git_https&) = delete;
    git_https& operator=(const git_https&) = delete;

    [[nodiscard]] std::string url(std::string_view name = "origin.git") const {
        return fmt::format("{}/{}", server->url(), name);
    }
    // By a name that only a proxy knows: loopback is never asked of one.
    [[nodiscard]] std::string named_url() const {
        auto named = url();
        return named.replace(named.find("127.0.0.1"), 9, "git.test");
    }
    [[nodiscard]] promotion::git::login login(std::string_view with = password) const {
        promotion::git::login out;
        out.username = "flux";
        out.password = secret_string{std::string{with}};
        out.tls = std::make_shared<const net::client_tls>(net::client_tls{ca, {}, {}});
        return out;
    }
    [[nodiscard]] std::unique_ptr<promotion::git::repository> open() const {
        return git_machine::open(url(), login());
    }
    [[nodiscard]] error
    fetch_error(promotion::git::login login, const std::string& repository) const {
        auto opened = promotion::git::repository::open(env, {repository, std::move(login)});
        if (!opened) return opened.error();
        auto tips = (*opened)->fetch({"main"});
        return tips ? error{errc::internal, "it worked"} : tips.error();
    }
    void fault(std::string_view what) const { folder.replace("fault", what); }
    // The server's log of requests once it has so many; it is written after the answer has gone.
    [[nodiscard]] std::string requests(std::ptrdiff_t n) const {
        std::string log;
        const auto enough = [&] {
            const auto text = read_file(folder / "requests", 1U << 20U);
            log = text ? *text : "";
            return std::count(log.begin(), log.end(), '\n') >= n;
        };
        if (!eventually(enough)) throw std::runtime_error("requests are missing: " + log);
        return log;
    }
    // In the middle of something: the loop ends and what waits for it must not wait for ever.
    void stop_loop() { loop.stop(); }

private:
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        loop.get_executor()
    };
    std::thread thread_;
};

} // namespace sluice::tests
