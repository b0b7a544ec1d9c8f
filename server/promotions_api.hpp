#pragma once

#include "home/ledger.hpp"
#include "net/http.hpp"
#include "server/router.hpp"

namespace sluice::server {

// GET /api/v1/promotions and GET /api/v1/promotions/{id}: what was accepted, and why.
class promotions_api {
public:
    explicit promotions_api(home::ledger& ledger) : ledger_(ledger) {}

    // ?namespace= ?pipeline= ?environment= ?state= ?limit=
    [[nodiscard]] boost::asio::awaitable<http::response>
    list(http::request& request, const server::params& path);
    [[nodiscard]] boost::asio::awaitable<http::response>
    show(http::request& request, const server::params& path);

private:
    home::ledger& ledger_;
};

} // namespace sluice::server
