#pragma once

#include "base/result.hpp"
#include "net/http_client.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/promotion.hpp"
#include "promotion/credentials.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

// Pull requests on the team's forge. One file per forge; all run on the loop of the HTTP client.
namespace sluice::promotion::forge {

struct draft {
    std::string head; // branch names
    std::string base;
    std::string title;
    std::string body;
    bool is_draft = false;
};

struct view {
    pipeline::pull_request is; // of a merged one `head` is what was merged; empty: not told
    std::string title;
    std::string body;
    std::string
        handle; // what the forge needs beside the number: GitHub's node_id, Bitbucket's version
    bool armed = false; // auto-merge is on, where the forge tells
    bool is_draft = false;
    std::string merge_commit; // where the forge tells
};

enum class auto_merge { merged, armed, not_yet };

// Errors: too_many_requests and unavailable with retry_after (transient), timed_out (transient), unauthenticated (the token),
// not_found (repository, or the token may not see it), conflict (archived, no commits between, head moved), unprocessable.
// Permanent ones say what to do. No error holds a token.
class api {
public:
    virtual ~api() = default;

    // The open one of this head and base, over all pages.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::optional<view>>>
    find_open(std::string head, std::string base) = 0;
    // In any state. Asks with the ETag it kept, so that looking often costs no quota.
    [[nodiscard]] virtual boost::asio::awaitable<result<view>> get(std::int64_t number) = 0;
    // "Already exists" finds it.
    [[nodiscard]] virtual boost::asio::awaitable<result<view>> create(draft d) = 0;
    [[nodiscard]] virtual boost::asio::awaitable<result<view>>
    update(view v, std::string title, std::string body) = 0;
    [[nodiscard]] virtual boost::asio::awaitable<outcome> close(view v, std::string comment) = 0;
    // Safe to repeat. A reviewer or label that does not exist is told in `ignored`, not an error.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::vector<std::string>>>
    decorate(view v, std::vector<std::string> labels, std::vector<std::string> reviewers) = 0;
    // Names the head commit. Merges at once where the forge has nothing to wait for.
    [[nodiscard]] virtual boost::asio::awaitable<result<auto_merge>>
    merge_when_ready(view v, pipeline::merge_method how) = 0;
    // Before the branch is rewritten. Nothing to disarm is success.
    [[nodiscard]] virtual boost::asio::awaitable<outcome> disarm(view v) = 0;
};

class rate_limits; // one per process: token buckets and what the headers said, by credential

struct connection {
    net::http_client* client = nullptr;
    forge::rate_limits* limits = nullptr;
};

// Null error for forge::git, which has no API: errc::unsupported. errc::unprocessable when the URL names no repository there.
[[nodiscard]] result<std::unique_ptr<api>>
make(const connection& c, const pipeline::pull_request_strategy& strategy, credentials login);

} // namespace sluice::promotion::forge
