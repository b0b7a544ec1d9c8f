#pragma once

#include "yaml/tokens.hpp"

// The tree of a YAML text as it is written: nothing resolved, nothing expanded, every scalar with its bytes.
namespace sluice::yaml {

inline constexpr std::size_t no_node = static_cast<std::size_t>(-1);

struct syntax_node {
    enum class kind { scalar, alias, sequence, mapping };

    kind what = kind::scalar;
    scalar_style style = scalar_style::plain;
    bool is_key = false;
    bool flow = false;      // stands in [] or {}
    bool bracketed = false; // a list or mapping that is written as [] or {}
    bool missing = false;   // a scalar that is not written, as in `key:`
    // Of the text itself, without anchor and tag. Of a missing scalar: where it would be written; no_place: nowhere,
    // as in `{key}`.
    std::size_t begin = 0;
    std::size_t end = 0;
    int line = 0;
    std::string text; // of a scalar: its value; of an alias: the anchor it names
    std::string tag;  // resolved, empty when there is none
    std::size_t parent = no_node;
    std::size_t key = no_node;         // of a mapping's value
    std::vector<std::size_t> children; // of a mapping: key, value, key, value

    static constexpr std::size_t no_place = static_cast<std::size_t>(-1);
};

struct syntax : token_stream {
    std::vector<syntax_node> nodes; // in the order of the text
    std::vector<std::size_t> documents;
    // By token: the node that a scalar, alias, bracket, anchor, tag, - or : belongs to; for a key token the key's
    // value.
    std::vector<std::size_t> owner;
};

// Accepts what compose() accepts; the error message starts with "line:column: ".
[[nodiscard]] result<syntax> parse_syntax(std::string_view text);

} // namespace sluice::yaml
