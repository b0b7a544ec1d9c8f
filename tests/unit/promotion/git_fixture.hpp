#pragma once

#include "promotion/git/repository.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Real repositories, made and looked at with the git command line.
namespace sluice::tests {

struct ran {
    int status = 0;
    std::string output; // and errors
};

// In a shell, with nothing of the person's own git settings.
inline ran shell(const std::string& command) {
    const auto whole = "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 "
                       "GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com "
                       "GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com; { " +
                       command + "\n} 2>&1";
    const auto close = [](FILE* f) { return ::pclose(f); };
    std::unique_ptr<FILE, int (*)(FILE*)> pipe{::popen(whole.c_str(), "re"), close};
    if (!pipe) throw std::runtime_error("popen");
    ran out;
    std::array<char, 4096> buffer{};
    std::size_t n = 0;
    while ((n = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0)
        out.output.append(buffer.data(), n);
    const int status = ::pclose(pipe.release());
    out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return out;
}

inline std::string sh(const std::string& command) {
    auto out = shell(command);
    if (out.status != 0) throw std::runtime_error(command + ": " + out.output);
    while (out.output.ends_with('\n')) out.output.pop_back();
    return out.output;
}

// DIR/origin.git, a bare repository with one commit on main, and DIR/work, a person's clone of it.
class git_origin {
public:
    explicit git_origin(const temp_folder& folder, std::string_view name = "origin")
        : bare_(folder / fmt::format("{}.git", name)),
          work_(folder / fmt::format("{}-work", name)) {
        sh(fmt::format("git init -q --bare -b main '{}'", bare_.string()));
        sh(fmt::format("git init -q -b main '{}'", work_.string()));
        git(fmt::format("remote add origin '{}'", bare_.string()));
    }

    // In the person's clone.
    std::string git(const std::string& arguments) const { // NOLINT(modernize-use-nodiscard)
        return sh(fmt::format("git -C '{}' {}", work_.string(), arguments));
    }
    std::string remote_git(const std::string& arguments) const { // NOLINT(modernize-use-nodiscard)
        return sh(fmt::format("git -C '{}' {}", bare_.string(), arguments));
    }
    void write(std::string_view path, std::string_view text) const {
        const auto file = work_ / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream{file, std::ios::binary} << text;
    }
    // Commits everything there is and pushes the branch; the commit's id.
    std::string commit(const std::string& message, const std::string& branch = "main") const {
        git("add -A");
        git(fmt::format("commit -q --allow-empty -m '{}'", message));
        git(fmt::format("push -q origin HEAD:refs/heads/{}", branch));
        return git("rev-parse HEAD");
    }
    [[nodiscard]] std::string tip(const std::string& branch) const {
        const auto found = shell(
            fmt::format("git -C '{}' rev-parse -q --verify refs/heads/{}", bare_.string(), branch)
        );
        return found.status == 0 ? found.output.substr(0, 40) : "";
    }
    [[nodiscard]] std::string show(const std::string& branch, const std::string& path) const {
        return shell(fmt::format("git -C '{}' show {}:{}", bare_.string(), branch, path)).output;
    }

    [[nodiscard]] const std::filesystem::path& bare() const { return bare_; }
    [[nodiscard]] const std::filesystem::path& work() const { return work_; }
    [[nodiscard]] std::string url() const { return "file://" + bare_.string(); }

private:
    std::filesystem::path bare_;
    std::filesystem::path work_;
};

inline const promotion::promotion_key podinfo_prod{{"default", "podinfo"}, "prod"};

// A manifest with a marker, as users write it.
inline std::string
manifest(std::string_view version, std::string_view key = "default:podinfo:prod") {
    return fmt::format("spec:\n  version: {} # {{\"$promotion\": \"{}\"}}\n", version, key);
}

inline pipeline::revision_facts revision(std::string version) {
    pipeline::revision_facts out;
    out.revision = std::move(version);
    return out;
}

inline const promotion::git::author sluice_author{"Sluice", "sluice@example.com"};

// A state folder, and repositories of this machine.
struct git_machine {
    temp_folder folder;
    observe::registry metrics;
    promotion::git::environment env;

    git_machine() {
        env.caches = folder / "state";
        env.local_repositories = folder.path();
        env.metrics = &metrics;
    }
    [[nodiscard]] std::unique_ptr<promotion::git::repository>
    open(const std::string& url, promotion::git::login login = {}) const {
        auto out = promotion::git::repository::open(env, {url, std::move(login)});
        if (!out) throw std::runtime_error(out.error().message);
        return std::move(*out);
    }
    [[nodiscard]] std::string
    refusal(const std::string& url, promotion::git::login login = {}) const {
        const auto out = promotion::git::repository::open(env, {url, std::move(login)});
        return out ? "" : out.error().message;
    }
    // Manifests that were not in the marker index.
    [[nodiscard]] std::uint64_t manifests_read() {
        return metrics
            .counter(
                "sluice_git_manifests_read_total",
                "Manifests read because the marker index did not know them"
            )
            .value();
    }
};

// Fetches main, patches it and makes the commit.
struct prepared {
    std::string base;
    promotion::git::patched_tree tree;
    std::string commit;
};
inline prepared prepare_on(
    promotion::git::repository& repository,
    const std::string& base,
    const std::string& version,
    const promotion::promotion_key& key = podinfo_prod
) {
    prepared out;
    out.base = base;
    auto tree = repository.patch(out.base, key, revision(version), {});
    if (!tree) throw std::runtime_error(tree.error().message);
    out.tree = std::move(*tree);
    auto commit = repository.commit(
        {out.tree.tree,
         out.base,
         sluice_author,
         time_point{std::chrono::milliseconds{1'767'225'600'123}},
         "Promote podinfo to " + version}
    );
    if (!commit) throw std::runtime_error(commit.error().message);
    out.commit = std::move(*commit);
    return out;
}
inline prepared prepare(
    promotion::git::repository& repository,
    const std::string& version,
    const promotion::promotion_key& key = podinfo_prod
) {
    auto tips = repository.fetch({"main"});
    if (!tips) throw std::runtime_error(tips.error().message);
    return prepare_on(repository, tips->at("main"), version, key);
}

} // namespace sluice::tests
