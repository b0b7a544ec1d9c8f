#include "yaml/syntax.hpp"

#include "yaml/node.hpp"

#include <algorithm>
#include <initializer_list>

namespace sluice::yaml {
namespace {

using kind = token_kind;

// Follows libyaml's own grammar over tokens it has already accepted, so there is nothing left to refuse.
class descent {
public:
    explicit descent(syntax& out) : out_(out) { out_.owner.assign(out_.tokens.size(), no_node); }

    void run() {
        for (;;) {
            while (is({kind::document_end, kind::directive})) step();
            if (is({kind::stream_end})) return;
            const auto first = at_;
            if (is({kind::document_start})) step();
            out_.documents.push_back(node({}));
            if (at_ == first) return;
        }
    }

private:
    struct place {
        std::size_t parent = no_node;
        std::size_t key = no_node;
        bool is_key = false;
        bool flow = false;
        bool indentless = false; // a list may begin without a deeper column
    };

    [[nodiscard]] bool is(std::initializer_list<kind> kinds) const {
        return std::ranges::find(kinds, out_.tokens[at_].what) != kinds.end();
    }

    // Never past stream_end.
    std::size_t step() { return at_ + 1 < out_.tokens.size() ? at_++ : at_; }

    std::size_t add(const place& where) {
        syntax_node n;
        n.is_key = where.is_key;
        n.flow = where.flow;
        n.parent = where.parent;
        n.key = where.key;
        n.line = out_.tokens[at_].line;
        out_.nodes.push_back(std::move(n));
        const auto id = out_.nodes.size() - 1;
        if (where.parent != no_node) out_.nodes[where.parent].children.push_back(id);
        return id;
    }

    // A node, or a missing scalar when something else comes.
    std::size_t node(const place& where) {
        const auto id = add(where);
        const auto first = at_;
        while (is({kind::anchor, kind::tag})) out_.owner[step()] = id;
        if (is({kind::scalar, kind::alias})) {
            leaf(id);
        } else if (is({kind::flow_sequence_start})) {
            flow_sequence(id);
        } else if (is({kind::flow_mapping_start})) {
            flow_mapping(id);
        } else if (is({kind::block_sequence_start})) {
            block_sequence(id);
        } else if (is({kind::block_mapping_start})) {
            block_mapping(id);
        } else if (where.indentless && is({kind::block_entry})) {
            indentless_sequence(id);
        } else {
            missing(id, first);
        }
        return id;
    }

    void leaf(std::size_t id) {
        const auto& t = out_.tokens[at_];
        auto& n = out_.nodes[id];
        n.what = t.what == kind::alias ? syntax_node::kind::alias : syntax_node::kind::scalar;
        n.style = t.style;
        n.begin = t.begin;
        n.end = t.end;
        n.line = t.line;
        n.text = t.text;
        out_.owner[step()] = id;
    }

    void missing(std::size_t id, std::size_t first) {
        auto& n = out_.nodes[id];
        n.missing = true;
        n.begin = n.end = syntax_node::no_place;
        const bool introduced =
            at_ > first || (at_ > 0 && (out_.tokens[at_ - 1].what == kind::value ||
                                        out_.tokens[at_ - 1].what == kind::block_entry));
        if (!introduced) return;
        n.begin = n.end = out_.tokens[at_ - 1].end;
        n.line = out_.tokens[at_ - 1].line;
    }

    void open(std::size_t id, syntax_node::kind what) {
        out_.nodes[id].what = what;
        out_.nodes[id].begin = out_.tokens[at_].begin;
        out_.owner[step()] = id;
    }

    void close(std::size_t id) {
        out_.nodes[id].end = out_.tokens[at_].end;
        out_.owner[step()] = id;
    }

    void block_sequence(std::size_t id) {
        open(id, syntax_node::kind::sequence);
        while (is({kind::block_entry})) entry(id);
        close(id);
    }

    void indentless_sequence(std::size_t id) {
        out_.nodes[id].what = syntax_node::kind::sequence;
        while (is({kind::block_entry})) entry(id);
    }

    void entry(std::size_t list) {
        const auto dash = step();
        out_.owner[dash] = node({.parent = list});
    }

    void block_mapping(std::size_t id) {
        open(id, syntax_node::kind::mapping);
        while (is({kind::key})) member({.parent = id, .indentless = true});
        close(id);
    }

    void flow_sequence(std::size_t id) {
        out_.nodes[id].bracketed = true;
        open(id, syntax_node::kind::sequence);
        while (!is({kind::flow_sequence_end, kind::stream_end})) {
            const auto first = at_;
            if (is({kind::key})) { // [key: value], a mapping of one
                const auto pair = add({.parent = id, .flow = true});
                out_.nodes[pair].what = syntax_node::kind::mapping;
                member({.parent = pair, .flow = true});
            } else if (!is({kind::flow_entry})) {
                node({.parent = id, .flow = true});
            }
            if (at_ == first) step();
        }
        close(id);
    }

    void flow_mapping(std::size_t id) {
        out_.nodes[id].bracketed = true;
        open(id, syntax_node::kind::mapping);
        while (!is({kind::flow_mapping_end, kind::stream_end})) {
            const auto first = at_;
            if (!is({kind::flow_entry})) member({.parent = id, .flow = true});
            if (at_ == first) step();
        }
        close(id);
    }

    void member(place where) {
        const auto key_token = at_;
        const bool announced = is({kind::key});
        if (announced) step();
        where.is_key = true;
        const auto key = node(where);
        where.is_key = false;
        where.key = key;
        const auto colon = at_;
        const bool has_value = is({kind::value});
        if (has_value) step();
        const auto value = has_value ? node(where) : unwritten(where);
        if (announced) out_.owner[key_token] = value;
        if (has_value) out_.owner[colon] = value;
    }

    // The value of a key without a colon.
    std::size_t unwritten(const place& where) {
        const auto id = add(where);
        out_.nodes[id].missing = true;
        out_.nodes[id].begin = out_.nodes[id].end = syntax_node::no_place;
        return id;
    }

    syntax& out_;
    std::size_t at_ = 0;
};

bool same_kind(const syntax_node& written, const node& composed) {
    switch (composed.what) {
    case node::kind::scalar: return written.what == syntax_node::kind::scalar;
    case node::kind::sequence: return written.what == syntax_node::kind::sequence;
    case node::kind::mapping: return written.what == syntax_node::kind::mapping;
    }
    return false;
}

// Both readings walk the text in the same order; where they disagree no edit can be trusted.
bool take_tags(syntax& out, const tree& composed) {
    auto next = composed.nodes.begin();
    for (auto& n : out.nodes) {
        if (n.what == syntax_node::kind::alias) continue;
        if (next == composed.nodes.end() || !same_kind(n, *next) || n.text != next->text) {
            return false;
        }
        n.tag = next->tag;
        ++next;
    }
    return next == composed.nodes.end();
}

} // namespace

result<syntax> parse_syntax(std::string_view text) {
    auto composed = compose(text);
    if (!composed) return composed.error();
    auto scanned = scan(text);
    if (!scanned) return scanned.error();
    syntax out;
    static_cast<token_stream&>(out) = std::move(*scanned);
    descent{out}.run();
    if (!take_tags(out, *composed)) {
        return error_at({1, 1}, "this file is written in a way Sluice cannot follow");
    }
    return out;
}

} // namespace sluice::yaml
