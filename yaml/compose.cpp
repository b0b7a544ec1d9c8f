#include "yaml/node.hpp"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <map>

namespace sluice::yaml {
namespace {

position from_mark(const yaml_mark_t& mark) {
    return {static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
}

std::string text_of(const yaml_char_t* chars) {
    return chars == nullptr ? std::string{} : reinterpret_cast<const char*>(chars);
}

// True when the line is indented with a tab: libyaml's own words for that do not name the cause.
bool indented_with_tab(std::string_view text, std::size_t line) {
    for (; line > 0; --line) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos) return false;
        text.remove_prefix(end + 1);
    }
    const auto first = text.find_first_not_of(" \t-");
    return text.substr(0, first).find('\t') != std::string_view::npos;
}

// libyaml tells a byte that is not UTF-8 by its offset only.
position at_offset(std::string_view text, std::size_t offset) {
    const auto before = text.substr(0, offset);
    const auto line = before.substr(before.rfind('\n') + 1);
    const auto characters = std::ranges::count_if(line, [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
    return {
        static_cast<int>(std::ranges::count(before, '\n')) + 1, static_cast<int>(characters) + 1
    };
}

class composer {
public:
    explicit composer(std::string_view text) : text_(text) {
        if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc{};
        // Said, not detected: UTF-16 is refused as broken UTF-8 instead of being read by surprise.
        yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(
            &parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size()
        );
    }
    ~composer() {
        yaml_event_delete(&event_);
        yaml_parser_delete(&parser_);
    }
    composer(const composer&) = delete;
    composer& operator=(const composer&) = delete;

    result<tree> run() {
        while (next()) {
            if (event_.type == YAML_STREAM_END_EVENT) return std::move(tree_);
            if (event_.type != YAML_DOCUMENT_START_EVENT) continue;
            anchors_.clear(); // they do not reach over documents
            if (!next()) break;
            const node* root = read(0);
            if (root == nullptr) break;
            tree_.documents.push_back(root);
        }
        return std::move(error_);
    }

private:
    bool next() {
        yaml_event_delete(&event_);
        if (yaml_parser_parse(&parser_, &event_) != 0) return true;
        fail_parser();
        return false;
    }

    void fail_parser() {
        const auto at = from_mark(parser_.problem_mark);
        if (parser_.error == YAML_READER_ERROR) {
            error_ = error_at(
                at_offset(text_, parser_.problem_offset),
                fmt::format("{}: the file must be UTF-8 text", parser_.problem)
            );
        } else if (indented_with_tab(text_, parser_.problem_mark.line)) {
            error_ = error_at(at, "this line is indented with a tab; YAML wants spaces");
        } else {
            const std::string context = parser_.context == nullptr
                                            ? std::string{}
                                            : fmt::format(
                                                  "{} that begins in line {}, ",
                                                  parser_.context,
                                                  parser_.context_mark.line + 1
                                              );
            const std::string problem =
                parser_.problem == nullptr ? "broken YAML" : parser_.problem;
            error_ = error_at(at, context + problem);
        }
    }

    const node* fail(position at, std::string_view what) {
        error_ = error_at(at, what);
        return nullptr;
    }

    // The node whose first event is the current one.
    const node* read(int depth) {
        const auto at = from_mark(event_.start_mark);
        if (depth > max_depth) {
            return fail(at, fmt::format("nested deeper than {} levels", max_depth));
        }
        switch (event_.type) {
        case YAML_ALIAS_EVENT: return read_alias(at);
        case YAML_SCALAR_EVENT: return read_scalar(at);
        case YAML_SEQUENCE_START_EVENT: return read_sequence(at, depth);
        case YAML_MAPPING_START_EVENT: return read_mapping(at, depth);
        default: return fail(at, "a value was expected here");
        }
    }

    const node* read_alias(position at) {
        const auto name = text_of(event_.data.alias.anchor);
        const auto found = anchors_.find(name);
        if (found != anchors_.end() && found->second != nullptr) return found->second;
        return fail(
            at,
            found == anchors_.end() ? fmt::format("*{} names no anchor above it", name)
                                    : fmt::format("*{} stands inside the value it names", name)
        );
    }

    const node* read_scalar(position at) {
        const auto& scalar = event_.data.scalar;
        node& n = add(node::kind::scalar, at, scalar.tag);
        n.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
        n.plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
        name(text_of(scalar.anchor), &n);
        return &n;
    }

    const node* read_sequence(position at, int depth) {
        node& n = add(node::kind::sequence, at, event_.data.sequence_start.tag);
        const auto anchor = text_of(event_.data.sequence_start.anchor);
        name(anchor, nullptr);
        while (next()) {
            if (event_.type == YAML_SEQUENCE_END_EVENT) {
                name(anchor, &n);
                return &n;
            }
            const node* item = read(depth + 1);
            if (item == nullptr) return nullptr;
            n.items.push_back(item);
        }
        return nullptr;
    }

    const node* read_mapping(position at, int depth) {
        node& n = add(node::kind::mapping, at, event_.data.mapping_start.tag);
        const auto anchor = text_of(event_.data.mapping_start.anchor);
        name(anchor, nullptr);
        while (next()) {
            if (event_.type == YAML_MAPPING_END_EVENT) {
                name(anchor, &n);
                return &n;
            }
            const node* key = read(depth + 1);
            if (key == nullptr || !next()) return nullptr;
            const node* value = read(depth + 1);
            if (value == nullptr) return nullptr;
            n.members.emplace_back(key, value);
        }
        return nullptr;
    }

    node& add(node::kind what, position at, const yaml_char_t* tag) {
        node& n = tree_.nodes.emplace_back();
        n.what = what;
        n.at = at;
        n.tag = text_of(tag);
        return n;
    }

    // Null while the named value is still being read: an alias in it would never end.
    void name(const std::string& anchor, const node* n) {
        if (!anchor.empty()) anchors_[anchor] = n;
    }

    std::string_view text_;
    yaml_parser_t parser_{};
    yaml_event_t event_{};
    tree tree_;
    std::map<std::string, const node*> anchors_;
    error error_;
};

} // namespace

error error_at(position at, std::string_view what) {
    return {errc::invalid_argument, fmt::format("{}:{}: {}", at.line, at.column, what)};
}

result<tree> compose(std::string_view text) {
    if (text.size() > max_text) {
        return error_at({1, 1}, fmt::format("the file is larger than {} MiB", max_text >> 20U));
    }
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    return composer{text}.run();
}

} // namespace sluice::yaml
