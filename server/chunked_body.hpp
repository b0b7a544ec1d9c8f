#pragma once

#include "base/result.hpp"
#include "server/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::server {

// Decodes `Transfer-Encoding: chunked`, byte by byte strict: no bare CR or LF, no white space around a size, bounded
// extensions and trailers (which are read and dropped).
class chunked_body {
public:
    explicit chunked_body(const limits& l) noexcept : limits_(l) {}

    // Takes bytes up to the end of the body and tells how many; appends content to `out`.
    [[nodiscard]] result<std::size_t> feed(std::string_view bytes, std::string& out);
    [[nodiscard]] bool complete() const noexcept { return state_ == state::complete; }

private:
    enum class state {
        size,
        extension,
        size_lf,
        data,
        data_cr,
        data_lf,
        trailer,
        trailer_lf,
        complete
    };
    [[nodiscard]] outcome step(char c);
    [[nodiscard]] outcome size_digit(char c);
    [[nodiscard]] outcome trailer_byte(char c);

    const limits& limits_;
    state state_ = state::size;
    std::uint64_t left_ = 0; // bytes of this chunk still to come
    unsigned size_digits_ = 0;
    std::size_t extension_bytes_ = 0; // over all chunks
    std::size_t trailer_bytes_ = 0;
    std::size_t trailer_line_ = 0; // bytes of this trailer line so far
    bool trailer_has_colon_ = false;
};

} // namespace sluice::server
