#include "yaml/tokens.hpp"

#include "yaml/line_table.hpp"
#include "yaml/node.hpp"

#include <yaml.h>

#include <algorithm>
#include <new>
#include <optional>

namespace sluice::yaml {
namespace {

std::optional<token_kind> kind_of(yaml_token_type_t type) {
    switch (type) {
    case YAML_STREAM_END_TOKEN: return token_kind::stream_end;
    case YAML_VERSION_DIRECTIVE_TOKEN:
    case YAML_TAG_DIRECTIVE_TOKEN: return token_kind::directive;
    case YAML_DOCUMENT_START_TOKEN: return token_kind::document_start;
    case YAML_DOCUMENT_END_TOKEN: return token_kind::document_end;
    case YAML_BLOCK_SEQUENCE_START_TOKEN: return token_kind::block_sequence_start;
    case YAML_BLOCK_MAPPING_START_TOKEN: return token_kind::block_mapping_start;
    case YAML_BLOCK_END_TOKEN: return token_kind::block_end;
    case YAML_FLOW_SEQUENCE_START_TOKEN: return token_kind::flow_sequence_start;
    case YAML_FLOW_SEQUENCE_END_TOKEN: return token_kind::flow_sequence_end;
    case YAML_FLOW_MAPPING_START_TOKEN: return token_kind::flow_mapping_start;
    case YAML_FLOW_MAPPING_END_TOKEN: return token_kind::flow_mapping_end;
    case YAML_BLOCK_ENTRY_TOKEN: return token_kind::block_entry;
    case YAML_FLOW_ENTRY_TOKEN: return token_kind::flow_entry;
    case YAML_KEY_TOKEN: return token_kind::key;
    case YAML_VALUE_TOKEN: return token_kind::value;
    case YAML_ALIAS_TOKEN: return token_kind::alias;
    case YAML_ANCHOR_TOKEN: return token_kind::anchor;
    case YAML_TAG_TOKEN: return token_kind::tag;
    case YAML_SCALAR_TOKEN: return token_kind::scalar;
    case YAML_NO_TOKEN:
    case YAML_STREAM_START_TOKEN: break;
    }
    return std::nullopt;
}

scalar_style style_of(yaml_scalar_style_t style) {
    switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE: return scalar_style::single_quoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: return scalar_style::double_quoted;
    case YAML_LITERAL_SCALAR_STYLE: return scalar_style::literal;
    case YAML_FOLDED_SCALAR_STYLE: return scalar_style::folded;
    case YAML_ANY_SCALAR_STYLE:
    case YAML_PLAIN_SCALAR_STYLE: break;
    }
    return scalar_style::plain;
}

std::string text_of(const yaml_token_t& t) {
    const auto text = [](const yaml_char_t* chars) { return reinterpret_cast<const char*>(chars); };
    switch (t.type) {
    case YAML_SCALAR_TOKEN: return {text(t.data.scalar.value), t.data.scalar.length};
    case YAML_ALIAS_TOKEN: return text(t.data.alias.value);
    case YAML_ANCHOR_TOKEN: return text(t.data.anchor.value);
    case YAML_TAG_TOKEN: return std::string{text(t.data.tag.handle)} + text(t.data.tag.suffix);
    default: return {};
    }
}

// libyaml counts characters. Marks come nearly in order, so a cursor walks both ways instead of a table of all offsets.
class byte_cursor {
public:
    explicit byte_cursor(std::string_view text) : text_(text) {}

    std::size_t at(std::size_t index) {
        for (; index_ < index && byte_ < text_.size(); ++index_) {
            do {
                ++byte_;
            } while (byte_ < text_.size() && continues_character(text_[byte_]));
        }
        for (; index_ > index; --index_) {
            do {
                --byte_;
            } while (continues_character(text_[byte_]));
        }
        return byte_;
    }

private:
    std::string_view text_;
    std::size_t index_ = 0;
    std::size_t byte_ = 0;
};

class scanner {
public:
    explicit scanner(std::string_view text, std::size_t offset)
        : text_(text), offset_(offset), bytes_(text), lines_(text) {
        if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc{};
        yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(
            &parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size()
        );
    }
    ~scanner() {
        yaml_token_delete(&token_);
        yaml_parser_delete(&parser_);
    }
    scanner(const scanner&) = delete;
    scanner& operator=(const scanner&) = delete;

    result<token_stream> run() {
        for (;;) {
            yaml_token_delete(&token_);
            if (yaml_parser_scan(&parser_, &token_) == 0) {
                const auto& mark = parser_.problem_mark;
                return error_at(
                    {static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1},
                    parser_.problem == nullptr ? "broken YAML" : parser_.problem
                );
            }
            const auto kind = kind_of(token_.type);
            if (!kind) continue;
            add(*kind);
            if (*kind == token_kind::stream_end) return std::move(out_);
        }
    }

private:
    void add(token_kind kind) {
        const auto begin = bytes_.at(token_.start_mark.index);
        const auto end = bytes_.at(token_.end_mark.index);
        if (begin > gap_begin_) add_comments(gap_begin_, begin);
        gap_begin_ = std::max(gap_begin_, end);
        // A block scalar's token also holds the empty lines behind it.
        const auto visible = text_.substr(begin, end - begin).find_last_not_of(" \t\r\n");
        token t;
        t.what = kind;
        t.begin = begin + offset_;
        t.end = end + offset_;
        t.line = lines_.line(begin);
        t.column = lines_.column(begin);
        t.end_line = lines_.line(visible == std::string_view::npos ? begin : begin + visible);
        t.text = text_of(token_);
        if (kind == token_kind::scalar) t.style = style_of(token_.data.scalar.style);
        const bool block = t.style == scalar_style::literal || t.style == scalar_style::folded;
        out_.tokens.push_back(std::move(t));
        // ... and the comment of its header.
        if (block) add_comments(begin, lines_.line_end(begin));
    }

    // Between two tokens there are blanks, line breaks and comments only.
    void add_comments(std::size_t begin, std::size_t end) {
        for (;;) {
            begin = text_.substr(0, end).find('#', begin);
            if (begin == std::string_view::npos) return;
            const auto stop = lines_.line_end(begin);
            out_.comments.push_back(
                {.begin = begin + offset_,
                 .end = stop + offset_,
                 .line = lines_.line(begin),
                 .column = lines_.column(begin),
                 .own_line = lines_.starts(begin),
                 .before = out_.tokens.size()}
            );
            begin = stop;
        }
    }

    std::string_view text_;
    std::size_t offset_;
    byte_cursor bytes_;
    line_table lines_;
    yaml_parser_t parser_{};
    yaml_token_t token_{};
    token_stream out_;
    std::size_t gap_begin_ = 0;
};

} // namespace

result<token_stream> scan(std::string_view text) {
    const auto offset = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    return scanner{text.substr(offset), offset}.run();
}

} // namespace sluice::yaml
