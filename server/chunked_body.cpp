#include "server/chunked_body.hpp"

#include <algorithm>

namespace sluice::server {

namespace {

// More digits than any size we would take has, leading zeros included.
constexpr unsigned most_size_digits = 16;

error malformed(const char* why) {
    return {errc::invalid_argument, why};
}

bool is_text(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

} // namespace

result<std::size_t> chunked_body::feed(std::string_view bytes, std::string& out) {
    std::size_t used = 0;
    while (used < bytes.size() && state_ != state::complete) {
        if (state_ == state::data) {
            const auto take =
                static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - used));
            if (take > limits_.body_bytes - std::min(out.size(), limits_.body_bytes)) {
                return error{errc::payload_too_large, "The body is larger than this server takes."};
            }
            out.append(bytes.substr(used, take));
            used += take;
            left_ -= take;
            if (left_ == 0) state_ = state::data_cr;
            continue;
        }
        if (auto stepped = step(bytes[used]); !stepped) return stepped.error();
        ++used;
    }
    return used;
}

outcome chunked_body::step(char c) {
    switch (state_) {
    case state::size: return size_digit(c);
    case state::extension:
        if (c == '\r') {
            state_ = state::size_lf;
        } else if (!is_text(c)) {
            return malformed("A chunk extension holds a control character.");
        } else if (++extension_bytes_ > limits_.chunk_extension_bytes) {
            return malformed("The chunk extensions are too long.");
        }
        return {};
    case state::size_lf:
        if (c != '\n') return malformed("A chunk size does not end in CR LF.");
        size_digits_ = 0;
        state_ = left_ == 0 ? state::trailer : state::data;
        return {};
    case state::data_cr:
        if (c != '\r') return malformed("A chunk is longer than its size.");
        state_ = state::data_lf;
        return {};
    case state::data_lf:
        if (c != '\n') return malformed("A chunk does not end in CR LF.");
        state_ = state::size;
        return {};
    case state::trailer: return trailer_byte(c);
    case state::trailer_lf:
        if (c != '\n') return malformed("A trailer line does not end in CR LF.");
        state_ = trailer_line_ == 0 ? state::complete : state::trailer;
        trailer_line_ = 0;
        trailer_has_colon_ = false;
        return {};
    case state::data:
    case state::complete: break;
    }
    return error{errc::internal, "a chunk was read in a state that has no such byte"};
}

outcome chunked_body::size_digit(char c) {
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
        digit = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<unsigned>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<unsigned>(c - 'A') + 10;
    } else if ((c == '\r' || c == ';') && size_digits_ > 0) {
        state_ = c == ';' ? state::extension : state::size_lf;
        return {};
    } else {
        return malformed("A chunk size is not a hexadecimal number.");
    }
    if (++size_digits_ > most_size_digits) return malformed("A chunk size has too many digits.");
    left_ = left_ * 16 + digit;
    return {};
}

outcome chunked_body::trailer_byte(char c) {
    if (++trailer_bytes_ > limits_.trailer_bytes) {
        return error{errc::headers_too_large, "The trailers are larger than this server takes."};
    }
    if (c == '\r') {
        if (trailer_line_ > 0 && !trailer_has_colon_) return malformed("A trailer has no colon.");
        state_ = state::trailer_lf;
        return {};
    }
    const bool in_name = !trailer_has_colon_;
    if (!is_text(c) || (in_name && (c == ' ' || c == '\t')) || (trailer_line_ == 0 && c == ':')) {
        return malformed("A trailer line is not a header.");
    }
    if (c == ':') trailer_has_colon_ = true;
    ++trailer_line_;
    return {};
}

} // namespace sluice::server
