#pragma once

#include "base/result.hpp"
#include "net/http.hpp"
#include "server/body_budget.hpp"
#include "server/chunked_body.hpp"
#include "server/limits.hpp"
#include "server/request_head.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::server {

// Bytes become one request or a refusal. Knows no socket and no clock: whoever has them calls feed() until it is done.
class request_reader {
public:
    request_reader(const limits& l, body_budget& budget);
    request_reader(const request_reader&) = delete;
    request_reader& operator=(const request_reader&) = delete;

    enum class state { head, body, complete, refused };
    // Takes the bytes that belong to this request and tells how many; the rest is the next one's.
    [[nodiscard]] std::size_t feed(std::string_view bytes);
    [[nodiscard]] state where() const noexcept { return state_; }
    [[nodiscard]] bool done() const noexcept {
        return state_ == state::complete || state_ == state::refused;
    }
    // For what only the clock knows: the time is over.
    void refuse(error why);

    // True once, when the client waits for "100 Continue" before it sends the body.
    [[nodiscard]] bool take_continue() noexcept;
    [[nodiscard]] http::request& request() noexcept { return request_; }
    [[nodiscard]] const error& refusal() const noexcept { return *refusal_; }
    // False after a refusal: where the next request would begin is not known.
    [[nodiscard]] bool keep_alive() const noexcept {
        return state_ == state::complete && framing_.keep_alive;
    }

private:
    [[nodiscard]] std::size_t feed_head(std::string_view bytes);
    [[nodiscard]] std::size_t feed_body(std::string_view bytes);
    [[nodiscard]] bool keep_head(std::string_view bytes);
    [[nodiscard]] bool make_room(std::size_t bytes, std::size_t most);
    void head_is_complete();
    void complete();
    void free_body();

    const limits& limits_;
    body_lease head_lease_; // as long as the reader: the answer still names what the head says
    body_lease body_lease_;
    state state_ = state::head;
    std::string head_;
    std::string body_;
    body_framing framing_;
    std::optional<chunked_body> chunks_;
    http::request request_;
    std::optional<error> refusal_;
};

} // namespace sluice::server
