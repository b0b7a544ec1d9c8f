#pragma once

#include "promotion/strategies/workshop.hpp"

namespace sluice::promotion {

// The strategy notification: others are told to promote, at least once.
class notification final : public strategy {
public:
    explicit notification(const workshop& w) : w_(w) {}
    [[nodiscard]] boost::asio::awaitable<void> run(std::vector<task> batch) override;

private:
    [[nodiscard]] boost::asio::awaitable<void> tell(task t);

    const workshop& w_;
};

} // namespace sluice::promotion
