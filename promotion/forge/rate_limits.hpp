#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "observe/metrics.hpp"
#include "pipeline/pipeline.hpp"
#include "promotion/forge/etag_cache.hpp"
#include "promotion/forge/quota.hpp"
#include "promotion/forge/write_window.hpp"

#include <boost/asio/awaitable.hpp>

#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace sluice::promotion::forge {

// What one account may still ask of its forge. Nothing here waits long: what may not be sent soon is
// errc::too_many_requests with retry_after.
class account : public std::enable_shared_from_this<account> {
public:
    account(
        const clock& time, observe::registry& metrics, observe::labels name, write_limits writes
    );

    // The right to write. Where writes are limited there is one at a time, and the next begins a while after this one is gone.
    class turn {
    public:
        explicit turn(std::shared_ptr<account> of) : of_(std::move(of)) {}
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;
        ~turn() {
            if (of_) of_->pass_on();
        }

    private:
        std::shared_ptr<account> of_;
    };
    [[nodiscard]] boost::asio::awaitable<result<std::shared_ptr<turn>>> write_turn();

    // Whether the forge told to stay away. GitHub counts REST ("core") and GraphQL apart.
    [[nodiscard]] outcome may_ask(std::string_view resource) const;
    // True when the request was refused because it was one too many.
    bool learn(std::string_view resource, const net::http_answer& answer);
    // GraphQL tells of limits in the body of a 200.
    void refused(std::string_view resource);

    [[nodiscard]] etag_cache& answers() noexcept { return answers_; }

private:
    struct waiter;
    struct resource {
        forge::quota quota;
        observe::gauge* remaining;
        observe::gauge* blocked;
    };
    void pass_on();
    void show_writes();
    resource& resource_of(std::string_view name);

    const clock& time_;
    observe::registry& metrics_;
    observe::labels name_;
    write_window window_;
    std::map<std::string, resource, std::less<>> resources_;
    std::list<waiter*> waiting_;
    bool writing_ = false;
    etag_cache answers_{4U << 20U};
};

// All accounts, one set per process, used only on the loop of the HTTP client.
class rate_limits {
public:
    // GitHub's published ones; the others have none for writes, only what their headers tell.
    static constexpr write_limits of_github{80, 500, std::chrono::milliseconds{1000}};

    rate_limits(const clock& time, observe::registry& metrics, write_limits github = of_github);
    ~rate_limits();
    rate_limits(const rate_limits&) = delete;
    rate_limits& operator=(const rate_limits&) = delete;

    // The same for the same forge and identity (credentials::identity). Metrics know it by forge, host and a number.
    [[nodiscard]] std::shared_ptr<account>
    of(pipeline::forge type, std::string_view host, std::string_view identity);

private:
    const clock& time_;
    observe::registry& metrics_;
    write_limits github_;
    std::map<std::string, std::shared_ptr<account>> accounts_;
};

} // namespace sluice::promotion::forge
