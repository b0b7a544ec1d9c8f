#include "cli/demo_story.hpp"

#include "cli/demo_repository.hpp"
#include "cli/outcome_text.hpp"
#include "cli/promotion_source.hpp"
#include "cli/signed_event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr const char* version = "6.1.8";
constexpr const char* next_version = "6.1.9";
constexpr const char* into_staging = "default/podinfo/staging@6.1.8";
constexpr const char* into_prod = "default/podinfo/prod@6.1.8";
constexpr auto patience = 60s;
constexpr auto look_every = 50ms;

// As the user can call it from here: the short way if it is below this folder, else the whole path.
std::string program() {
    std::error_code failed;
    const auto self = fs::read_symlink("/proc/self/exe", failed);
    if (failed) return "sluice";
    const auto near = self.lexically_relative(fs::current_path(failed));
    const bool below = !failed && !near.empty() && *near.begin() != "..";
    return (below ? near : self).string();
}

std::string text_of(const json& from, const char* name) {
    return printable(from.value(name, std::string{}));
}

} // namespace

void demo_story::step(std::string_view text) {
    out_ << ++step_ << ". " << text << std::endl; // seen at once, also through a pipe
}

void demo_story::detail(std::string_view text) {
    out_ << "   " << text << std::endl;
}

outcome demo_story::tell() {
    step(fmt::format(
        "A pipeline dev -> staging -> prod, a git repository and keys are in {}",
        folder_.path().string()
    ));
    step("The server takes events at " + url_);
    step(fmt::format(
        "Flux says: podinfo {} is healthy in dev. The event is signed with dev's key and sent:",
        version
    ));
    if (auto sent = send_event(); !sent) return sent;

    step(fmt::format("The promotion {} is carried out:", into_staging));
    auto pushed = wait_for_branch();
    if (!pushed) return pushed.error();
    detail(text_of(*pushed, "state") + ": " + text_of(*pushed, "message"));

    const auto branch = text_of(pushed->value("work", json::object()), "branch");
    step(fmt::format("The branch {} is pushed. All it changes:", branch));
    if (auto shown = show_diff(branch); !shown) return shown;
    return {};
}

outcome demo_story::send_event() {
    signed_post post;
    post.url = url_ + "/default/podinfo/dev";
    post.ca = folder_.certificate();
    post.key_file = folder_.key_of("dev");
    post.body = healthy_event("dev", version);
    auto accepted = send_signed(post);
    if (!accepted) return accepted.error();
    const auto answer = json::parse(*accepted, nullptr, /*allow_exceptions=*/false);
    if (!answer.is_object()) return error{errc::internal, "the answer is no JSON object"};
    detail(fmt::format("202 {}: {}", text_of(answer, "decision"), text_of(answer, "reason")));
    return {};
}

result<json> demo_story::wait_for_branch() {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (true) {
        auto now = show_promotion(folder_.state(), into_staging);
        if (!now) return now.error();
        const auto state = text_of(*now, "state");
        if (state == "PullRequestOpen") return now;
        const bool on_its_way = state == "Pending" || state == "Running";
        if (!on_its_way || std::chrono::steady_clock::now() > until) {
            return error{
                errc::internal,
                fmt::format("no branch was pushed; it is {}: {}", state, text_of(*now, "message"))
            };
        }
        std::this_thread::sleep_for(look_every);
    }
}

outcome demo_story::show_diff(const std::string& branch) {
    auto diff = diff_to_main(folder_.repository(), branch);
    if (!diff) return diff.error();
    for (std::size_t begin = 0; begin < diff->size();) {
        const auto end = std::min(diff->find('\n', begin), diff->size());
        detail(diff->substr(begin, end - begin));
        begin = end + 1;
    }
    return {};
}

void demo_story::tell_the_end() {
    step("The folder is removed now. In a terminal `sluice demo` keeps serving and says what is "
         "next.");
}

void demo_story::trigger_commands(const std::string& environment, std::string_view revision) {
    const auto file = (folder_.path() / "event.json").string();
    const auto headers = (folder_.path() / "headers").string();
    detail(fmt::format(
        R"sh(printf '{{"revision":"{}","timestamp":"%s"}}' "$(date -u +%FT%TZ)" > {})sh",
        revision,
        file
    ));
    detail(fmt::format(
        "{} sign --key-file {} < {} > {}",
        program(),
        folder_.key_of(environment).string(),
        file,
        headers
    ));
    detail(fmt::format(
        "curl -sS --cacert {} -H @{} --data-binary @{} {}/default/podinfo/{}",
        folder_.certificate().string(),
        headers,
        file,
        url_,
        environment
    ));
}

void demo_story::tell_how_to_go_on() {
    const auto state = folder_.state().string();
    step("Where to look, from another terminal:");
    detail(fmt::format("{} promotions list --state {}", program(), state));
    detail(fmt::format("{} promotions show {} --state {}", program(), into_staging, state));
    detail(
        fmt::format("git --git-dir {} log --all --oneline --graph", folder_.repository().string())
    );
    step("It goes on serving until Ctrl-C, which removes the folder too. What to do next:");
    detail("# merge the branch, as people do on a forge");
    detail(fmt::format(
        "git --git-dir {} update-ref refs/heads/main refs/heads/promotion-default-podinfo-staging",
        folder_.repository().string()
    ));
    detail("# staging is healthy too: prod is next, and waits for an approval");
    trigger_commands("staging", version);
    detail("# approve it");
    detail(fmt::format("{} approve {} --state {}", program(), into_prod, state));
    detail("# the next version in dev");
    trigger_commands("dev", next_version);
}

} // namespace sluice::cli
