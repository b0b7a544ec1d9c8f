#pragma once

#include "promotion/strategies/desk.hpp"

#include <memory>
#include <vector>

namespace sluice::promotion {

using live_promotions = std::shared_ptr<const std::vector<pipeline::promotion>>;

// One run of a repository's lane, for the strategies pull-request and push: one fetch and one push for all promotions
// that wait for it; then a look at those whose pull requests are open, that failed, or that ended with something left
// outside.
class repository_run final : public strategy {
public:
    repository_run(const workshop& w, live_promotions live) : w_(w), live_(std::move(live)) {}

    [[nodiscard]] boost::asio::awaitable<void> run(std::vector<task> batch) override;

private:
    [[nodiscard]] boost::asio::awaitable<std::vector<job>> begin(std::vector<task> tasks);
    [[nodiscard]] boost::asio::awaitable<void> start(task t, std::vector<job>& into);
    [[nodiscard]] boost::asio::awaitable<void> carry(desk& d, std::vector<job> jobs);
    // One time from fetch to record. Jobs that have to start again are left in stage `again`.
    [[nodiscard]] boost::asio::awaitable<void> attempt(desk& d, std::vector<job>& jobs);
    [[nodiscard]] boost::asio::awaitable<void> finish(desk& d, std::vector<job>& jobs);
    [[nodiscard]] boost::asio::awaitable<void> give_up(std::vector<job>& jobs, error e);

    [[nodiscard]] job make_job(task t) const;
    [[nodiscard]] std::string branch_of(const job& j) const;
    [[nodiscard]] std::vector<pipeline::promotion> siblings_of(const pipeline::promotion& p) const;

    const workshop& w_;
    live_promotions live_;
    std::vector<promotion_key> neighbours_; // all that may have a branch in this repository
};

} // namespace sluice::promotion
