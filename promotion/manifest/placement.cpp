#include "promotion/manifest/placement.hpp"

#include <span>

namespace sluice::promotion {
namespace {

using kind = yaml::token_kind;
using yaml::syntax_node;

constexpr std::string_view behind_block =
    "behind the key of a list or mapping a marker marks nothing; put it on the value's own line";
constexpr std::string_view above_block =
    "above a list or mapping a marker marks nothing; put it on the value's own line";
constexpr std::string_view behind_mapping =
    "behind } a marker marks nothing; write one member per line with the marker behind its value";
constexpr std::string_view behind_opening =
    "behind an opening bracket a marker marks nothing; put it on the value's own line";
constexpr std::string_view on_alias =
    "an alias is never edited; put the marker where the anchor stands";
constexpr std::string_view above_nothing = "no value follows this marker";
constexpr std::string_view several_lines =
    "a marker above its key must be the only comment line there; put it behind the value instead";
constexpr std::string_view belongs_above =
    "this comment belongs to what stands above it; put it directly above its key, in the same "
    "column, or behind the value";

class placer {
public:
    explicit placer(const yaml::syntax& file) : file_(file) {
        out_.nodes.resize(file.nodes.size());
        out_.unplaced.resize(file.comments.size());
    }

    placement run() {
        for (std::size_t first = 0; first < file_.comments.size();) {
            const auto before = file_.comments[first].before;
            auto last = first;
            while (last < file_.comments.size() && file_.comments[last].before == before) ++last;
            gap(first, last);
            first = last;
        }
        return std::move(out_);
    }

private:
    // The comments [first, last) between two tokens.
    void gap(std::size_t first, std::size_t last) {
        const auto& c = file_.comments[first];
        if (!c.own_line && c.before > 0 && !introduces(c.before)) {
            behind(first);
            ++first;
        }
        if (first < last) above(first, last);
    }

    // Behind `-` and `---` a comment is the first line above what follows, unless the item is empty.
    [[nodiscard]] bool introduces(std::size_t before) const {
        const auto what = file_.tokens[before - 1].what;
        if (what == kind::block_entry) return !file_.nodes[file_.owner[before - 1]].missing;
        return what == kind::document_start;
    }

    void behind(std::size_t c) {
        auto at = file_.comments[c].before - 1;
        const auto line = file_.comments[c].line;
        const auto& tokens = file_.tokens;
        if (tokens[at].what == kind::flow_entry && tokens[at - 1].end_line == line) --at;
        const auto id = file_.owner[at];
        switch (tokens[at].what) {
        case kind::scalar: return behind_scalar(id, c);
        case kind::block_entry: return set(id, &spoken_for::line, c, behind_block);
        case kind::value:
        case kind::anchor:
        case kind::tag: return set(id, &spoken_for::key_line, c, behind_block);
        case kind::flow_sequence_end: return set_list(id, &spoken_for::line, c, above_nothing);
        case kind::flow_mapping_end: return refuse(c, behind_mapping);
        case kind::alias: return refuse(c, on_alias);
        case kind::flow_sequence_start:
        case kind::flow_mapping_start: return refuse(c, behind_opening);
        default: return refuse(c, above_nothing);
        }
    }

    void behind_scalar(std::size_t id, std::size_t c) {
        const auto& n = file_.nodes[id];
        if (!n.is_key) return set(id, &spoken_for::line, c, above_nothing);
        const auto& members = file_.nodes[n.parent].children;
        for (std::size_t i = 0; i + 1 < members.size(); i += 2) {
            if (members[i] == id) set(members[i + 1], &spoken_for::key_line, c, behind_block);
        }
    }

    void above(std::size_t first, std::size_t last) {
        const auto before = file_.comments[first].before;
        auto next = before;
        while (file_.tokens[next].what == kind::block_end) ++next;
        const bool leaves_block = next > before;
        while (file_.tokens[next].what == kind::block_sequence_start ||
               file_.tokens[next].what == kind::block_mapping_start) {
            ++next;
        }
        const auto begin = head_begin(first, last, next, leaves_block);
        for (auto c = first; c < begin; ++c) refuse(c, belongs_above);
        if (last - begin == 1) return head(begin, next);
        for (auto c = begin; c < last; ++c) refuse(c, several_lines);
    }

    // From which comment on they speak about the token `next`.
    [[nodiscard]] std::size_t
    head_begin(std::size_t first, std::size_t last, std::size_t next, bool leaves_block) const {
        const auto& target = file_.tokens[next];
        const auto before = file_.comments[first].before;
        const auto line_after = [&](std::size_t c) {
            return c + 1 < last ? file_.comments[c + 1].line : target.line;
        };
        const auto touches_next = [&](std::size_t c) {
            return line_after(c) == file_.comments[c].line + 1;
        };
        if (before == 0 || opens_document(file_.tokens[before - 1].what)) {
            auto begin = last;
            while (begin > first && touches_next(begin - 1)) --begin;
            return begin;
        }
        const auto& previous = file_.tokens[before - 1];
        auto begin = first;
        if (previous.what != kind::value && file_.comments[first].line == previous.end_line + 1) {
            auto end = first;
            while (end + 1 < last && touches_next(end)) ++end;
            if (!touches_next(end)) begin = end + 1;
        }
        if (leaves_block) {
            auto same = last;
            while (same > begin && file_.comments[same - 1].column == target.column) --same;
            begin = same;
        }
        return begin;
    }

    static bool opens_document(kind what) {
        return what == kind::document_start || what == kind::document_end ||
               what == kind::directive;
    }

    void head(std::size_t c, std::size_t next) {
        const auto id = file_.owner[next];
        switch (file_.tokens[next].what) {
        case kind::key: return set(id, &spoken_for::key_head, c, above_block);
        case kind::block_entry:
        case kind::flow_sequence_start:
        case kind::anchor:
        case kind::tag:
        case kind::scalar:
            if (file_.nodes[id].bracketed) {
                return set_list(id, &spoken_for::head, c, above_block);
            }
            return set(id, &spoken_for::head, c, above_block);
        case kind::alias: return refuse(c, on_alias);
        case kind::flow_mapping_start: return refuse(c, above_block);
        default: return refuse(c, above_nothing);
        }
    }

    void
    set(std::size_t id, std::size_t spoken_for::* slot, std::size_t c, std::string_view block) {
        const auto& n = file_.nodes[id];
        if (n.what == syntax_node::kind::alias) return refuse(c, on_alias);
        if (n.what != syntax_node::kind::scalar) return refuse(c, block);
        if (n.is_key || n.begin == syntax_node::no_place) return refuse(c, above_nothing);
        out_.nodes[id].*slot = c;
    }

    void
    set_list(std::size_t id, std::size_t spoken_for::* slot, std::size_t c, std::string_view why) {
        const auto& n = file_.nodes[id];
        if (n.what != syntax_node::kind::sequence || n.is_key) return refuse(c, why);
        out_.nodes[id].*slot = c;
    }

    void refuse(std::size_t c, std::string_view why) { out_.unplaced[c] = why; }

    const yaml::syntax& file_;
    placement out_;
};

} // namespace

placement place_comments(const yaml::syntax& file) {
    return placer{file}.run();
}

} // namespace sluice::promotion
