#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// What a YAML text is written with, at which bytes: the ground that edits stand on, because they splice and never
// re-emit.
namespace sluice::yaml {

enum class token_kind {
    directive,
    document_start,
    document_end,
    block_sequence_start, // no text of its own; so are block_mapping_start, block_end and mostly key
    block_mapping_start,
    block_end,
    flow_sequence_start,
    flow_sequence_end,
    flow_mapping_start,
    flow_mapping_end,
    block_entry, // -
    flow_entry,  // ,
    key,         // ?, or nothing in front of a simple key
    value,       // :
    alias,
    anchor,
    tag,
    scalar,
    stream_end,
};

enum class scalar_style { plain, single_quoted, double_quoted, literal, folded };

struct token {
    token_kind what = token_kind::stream_end;
    scalar_style style = scalar_style::plain;
    std::size_t begin = 0; // bytes, quotes and block headers included
    std::size_t end = 0;
    int line = 0;     // where it begins, from 1
    int column = 0;   // in characters, from 1
    int end_line = 0; // of its last visible character
    std::string text; // the value of a scalar, the name of an anchor or alias, what a tag says
};

struct comment {
    std::size_t begin = 0; // at the #
    std::size_t end = 0;   // without the line break
    int line = 0;
    int column = 0;
    bool own_line = false;  // nothing but blanks in front of it
    std::size_t before = 0; // index of the first token behind it
};

struct token_stream {
    std::vector<token> tokens; // the last one is stream_end
    std::vector<comment> comments;
};

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// For a text that compose() accepts; else the first thing no scanner understands is the error.
[[nodiscard]] result<token_stream> scan(std::string_view text);

} // namespace sluice::yaml
