#include "promotion/strategies/desk.hpp"

#include "observe/log.hpp"

namespace sluice::promotion {

boost::asio::awaitable<void> desk::take() {
    held_ = co_await w_.locks.hold(remote_.key());
}

outcome desk::open() {
    if (git_) return {};
    auto opened = git::repository::open(w_.git, remote_);
    if (!opened) return opened.error();
    git_ = std::move(*opened);
    return {};
}

void desk::count(std::string_view what, bool done) const {
    w_.git.metrics
        ->counter(
            "sluice_executor_git_total",
            "Fetches and pushes, each for all promotions that waited for the repository",
            {{"what", std::string{what}}, {"outcome", done ? "done" : "failed"}}
        )
        .add();
}

boost::asio::awaitable<result<tips>> desk::fetch(std::vector<std::string> branches) {
    auto work = [this, branches = std::move(branches)]() -> result<tips> {
        if (auto opened = open(); !opened) return opened.error();
        return git_->fetch(branches);
    };
    auto fetched = co_await offload(w_.git_threads, std::move(work));
    count("fetch", fetched.has_value());
    co_return fetched;
}

boost::asio::awaitable<result<std::vector<git::ref_outcome>>>
desk::push(std::vector<git::ref_update> updates) {
    using pushed = result<std::vector<git::ref_outcome>>;
    auto work = [this, updates = std::move(updates)]() -> pushed {
        if (auto opened = open(); !opened) return opened.error();
        return git_->push(updates);
    };
    auto outcomes = co_await offload(w_.git_threads, std::move(work));
    count("push", outcomes.has_value());
    co_return outcomes;
}

boost::asio::awaitable<void> desk::remove(std::string branch, std::string expected) {
    if (branch.empty() || expected.empty()) co_return;
    std::vector<git::ref_update> deletion;
    deletion.push_back({branch, expected, {}});
    const auto outcomes = co_await push(std::move(deletion));
    if (!outcomes) {
        log::warn(
            "the branch of an ended promotion was not removed; delete it by hand",
            {{"branch", branch}, {"error", outcomes.error().message}}
        );
        co_return;
    }
    for (const auto& o : *outcomes) {
        if (o.result == git::ref_result::done || o.result == git::ref_result::moved) continue;
        log::warn(
            "the server refused to remove the branch of an ended promotion; delete it by hand",
            {{"branch", branch}, {"error", o.message}}
        );
    }
}

} // namespace sluice::promotion
