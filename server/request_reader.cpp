#include "server/request_reader.hpp"

#include <algorithm>
#include <utility>

namespace sluice::server {

namespace {

// What every request may cost without asking the budget, so that ordinary events pass while strangers hold all of it.
constexpr std::size_t common_head_bytes = 4096;
constexpr std::size_t common_body_bytes = 4096;

error busy() {
    return error{errc::unavailable, "Too many requests are being received; send it again."}.after(
        std::chrono::seconds{1}
    );
}

// A TLS greeting on the plain port, or no HTTP at all, need not wait for an empty line that will never come.
bool can_begin_a_method(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

} // namespace

request_reader::request_reader(const limits& l, body_budget& budget)
    : limits_(l), head_lease_(budget), body_lease_(budget) {
    request_.free_body = [this] { free_body(); };
}

std::size_t request_reader::feed(std::string_view bytes) {
    std::size_t used = 0;
    if (state_ == state::head) used = feed_head(bytes);
    if (state_ == state::body) used += feed_body(bytes.substr(used));
    return used;
}

void request_reader::refuse(error why) {
    refusal_ = std::move(why);
    state_ = state::refused;
    free_body();
}

// The reader lives until its answer is read, which may be long after the body is of use.
void request_reader::free_body() {
    std::string().swap(body_);
    body_lease_.give_back();
}

bool request_reader::take_continue() noexcept {
    return state_ == state::body && std::exchange(framing_.expects_continue, false);
}

std::size_t request_reader::feed_head(std::string_view bytes) {
    if (head_.empty() && !bytes.empty() && !can_begin_a_method(bytes.front())) {
        refuse({errc::invalid_argument, "This is not HTTP/1.1: a request begins with its method."});
        return 0;
    }
    // Line by line over the new bytes only, so that a dripping client costs no rescan.
    for (std::size_t from = 0;;) {
        const std::size_t lf = bytes.find('\n', from);
        const std::size_t room = limits_.header_bytes - head_.size();
        if (std::min(lf, bytes.size()) >= room) {
            refuse({errc::headers_too_large, "The headers are larger than this server takes."});
            return 0;
        }
        if (lf == std::string_view::npos) return keep_head(bytes) ? bytes.size() : 0;
        const auto at = [&](std::size_t back) { // the byte `back` places before the LF
            return back <= lf                  ? bytes[lf - back]
                   : back - lf <= head_.size() ? head_[head_.size() - (back - lf)]
                                               : '\0';
        };
        if (at(1) != '\r') {
            refuse({errc::invalid_argument, "This is not HTTP/1.1: a line ends in LF without CR."});
            return 0;
        }
        if (at(2) == '\n') {
            if (keep_head(bytes.substr(0, lf + 1))) head_is_complete();
            return lf + 1;
        }
        from = lf + 1;
    }
}

// Thousands of fat heads held open would be memory no limit counts.
bool request_reader::keep_head(std::string_view bytes) {
    const std::size_t before = std::max(head_.size(), common_head_bytes);
    const std::size_t after = head_.size() + bytes.size();
    if (after > before && !head_lease_.take(after - before)) {
        refuse(busy());
        return false;
    }
    head_.append(bytes);
    return true;
}

// Memory is taken as bytes arrive, never for what was only announced. Doubled, so that a long body is not copied for every
// piece of it.
bool request_reader::make_room(std::size_t bytes, std::size_t most) {
    if (bytes <= body_.capacity()) return true;
    const std::size_t before = std::max(body_.capacity(), common_body_bytes);
    const std::size_t after = std::min(std::max(bytes, 2 * body_.capacity()), most);
    if (after > before && !body_lease_.take(after - before)) {
        refuse(busy());
        return false;
    }
    std::string larger;
    larger.reserve(after
    ); // of a new string, since one that grows may take more than it is asked to
    larger.append(body_);
    body_.swap(larger);
    return true;
}

void request_reader::head_is_complete() {
    auto framing = read_head(head_, limits_.header_fields, request_);
    if (!framing) return refuse(std::move(framing).error());
    framing_ = *framing;
    if (framing_.chunked) {
        chunks_.emplace(limits_);
        state_ = state::body;
        return;
    }
    if (framing_.content_length > limits_.body_bytes) {
        return refuse({errc::payload_too_large, "The body is larger than this server takes."});
    }
    if (framing_.content_length == 0) return complete();
    state_ = state::body;
}

std::size_t request_reader::feed_body(std::string_view bytes) {
    if (!framing_.chunked) {
        const auto length = static_cast<std::size_t>(framing_.content_length);
        const std::size_t take = std::min(bytes.size(), length - body_.size());
        if (!make_room(body_.size() + take, length)) return 0;
        body_.append(bytes.substr(0, take));
        if (body_.size() == length) complete();
        return take;
    }
    const std::size_t most = limits_.body_bytes;
    if (!make_room(std::min(body_.size() + bytes.size(), most), most)) return 0;
    auto used = chunks_->feed(bytes, body_);
    if (!used) {
        refuse(std::move(used).error());
        return 0;
    }
    if (chunks_->complete()) complete();
    return *used;
}

void request_reader::complete() {
    request_.body = body_;
    state_ = state::complete;
}

} // namespace sluice::server
