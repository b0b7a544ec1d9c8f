#pragma once

#include "base/offload.hpp"
#include "promotion/strategies/job.hpp"
#include "promotion/strategies/workshop.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::promotion {

// One repository's cache, held by one user at a time and touched on git threads only.
class desk {
public:
    desk(const workshop& w, git::remote remote) : w_(w), remote_(std::move(remote)) {}

    // Before anything else.
    [[nodiscard]] boost::asio::awaitable<void> take();
    // Opens the cache when needed. One fetch; the tips of those branches that exist.
    [[nodiscard]] boost::asio::awaitable<result<tips>> fetch(std::vector<std::string> branches);
    // Opens the cache when needed. Best effort: a branch that has moved, or is gone, stays as it is.
    [[nodiscard]] boost::asio::awaitable<void> remove(std::string branch, std::string expected);
    [[nodiscard]] boost::asio::awaitable<result<std::vector<git::ref_outcome>>>
    push(std::vector<git::ref_update> updates);

    // After a fetch.
    template <class Work>
    [[nodiscard]] auto use(Work work) {
        return offload(w_.git_threads, [git = git_.get(), work = std::move(work)]() mutable {
            return work(*git);
        });
    }

private:
    [[nodiscard]] outcome open();
    void count(std::string_view what, bool done) const;

    const workshop& w_;
    git::remote remote_;
    lane_locks::held held_;
    std::unique_ptr<git::repository> git_;
};

} // namespace sluice::promotion
