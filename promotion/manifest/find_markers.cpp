#include "promotion/manifest/find_markers.hpp"

#include "promotion/manifest/placement.hpp"

#include <array>

namespace sluice::promotion {
namespace {

using yaml::syntax_node;

class finder {
public:
    finder(const yaml::syntax& file, std::string_view bytes)
        : file_(file), placed_(place_comments(file)), used_(file.comments.size()) {
        for (const auto& c : file.comments) {
            texts_.push_back(bytes.substr(c.begin, c.end - c.begin));
            meanings_.push_back(read_comment(texts_.back()));
        }
    }

    markers run() {
        for (std::size_t id = 0; id < file_.nodes.size(); ++id) {
            const auto& n = file_.nodes[id];
            if (n.what != syntax_node::kind::scalar || n.is_key) continue;
            const auto c = speaker(id);
            if (c == no_comment) continue;
            const auto* found = std::get_if<marker>(&meanings_[c]);
            if (found == nullptr) continue;
            used_[c] = true;
            out_.scalars.push_back(
                {.marker = *found,
                 .marker_line = file_.comments[c].line,
                 .scalar = place_of(file_, id)}
            );
        }
        for (std::size_t c = 0; c < texts_.size(); ++c) {
            if (!used_[c] && texts_[c].find(marker_bytes) != std::string_view::npos) {
                out_.strays.push_back({file_.comments[c].line, why_unused(c)});
            }
        }
        return std::move(out_);
    }

private:
    // The nearest comment that is more than a note.
    [[nodiscard]] std::size_t speaker(std::size_t id) const {
        const auto& own = placed_.nodes[id];
        spoken_for list;
        const auto parent = file_.nodes[id].parent;
        if (parent != yaml::no_node && file_.nodes[parent].what == syntax_node::kind::sequence) {
            list = placed_.nodes[parent];
        }
        // Of two comments on the same thing the one in its line is asked and the one above it is not.
        const auto nearer = [](std::size_t line, std::size_t head) {
            return line != no_comment ? line : head;
        };
        for (const auto c :
             {nearer(own.line, own.head),
              nearer(own.key_line, own.key_head),
              nearer(list.line, list.head)}) {
            if (c != no_comment && !std::holds_alternative<note>(meanings_[c])) return c;
        }
        return no_comment;
    }

    [[nodiscard]] std::string why_unused(std::size_t c) const {
        if (const auto* broken = std::get_if<broken_marker>(&meanings_[c])) return broken->why;
        if (std::holds_alternative<note>(meanings_[c])) {
            return "a marker's comment must be one JSON object and nothing else";
        }
        if (!placed_.unplaced[c].empty()) return std::string{placed_.unplaced[c]};
        return "another comment of this value is asked first, or the list holds no plain value";
    }

    const yaml::syntax& file_;
    placement placed_;
    std::vector<std::string_view> texts_;
    std::vector<comment_meaning> meanings_;
    std::vector<bool> used_;
    markers out_;
};

} // namespace

scalar_place place_of(const yaml::syntax& file, std::size_t node) {
    const auto& n = file.nodes[node];
    return {
        .node = node,
        .begin = n.begin,
        .end = n.end,
        .line = n.line,
        .style = n.style,
        .value = n.text
    };
}

result<markers> find_markers(std::string_view bytes) {
    if (bytes.find(marker_bytes) == std::string_view::npos) return markers{};
    const auto file = yaml::parse_syntax(bytes);
    if (!file) return file.error();
    return find_markers(*file, bytes);
}

markers find_markers(const yaml::syntax& file, std::string_view bytes) {
    return finder{file, bytes}.run();
}

} // namespace sluice::promotion
