#include "promotion/manifest/edit.hpp"

#include "promotion/manifest/scalar_text.hpp"
#include "yaml/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sluice::promotion {
namespace {

using yaml::syntax;
using yaml::syntax_node;

using splices =
    std::map<std::size_t, scalar_splice>; // by node, which is also the order of the file

error at_line(int line, std::string_view what) {
    return {errc::unprocessable, fmt::format("{}: {}", line, what)};
}

result<splices>
plan(std::string_view bytes, const syntax& file, std::span<const scalar_edit> edits) {
    splices out;
    for (const auto& e : edits) {
        const auto& place = e.place;
        const bool known = place.node < file.nodes.size() &&
                           file.nodes[place.node].what == syntax_node::kind::scalar &&
                           !file.nodes[place.node].is_key &&
                           file.nodes[place.node].begin == place.begin &&
                           file.nodes[place.node].end == place.end;
        if (!known) return at_line(place.line, "the file is not the one this place was found in");
        auto splice = write_scalar(bytes, file.nodes[place.node], e.value);
        if (!splice) return at_line(place.line, splice.error().message);
        if (splice->begin < place.begin || splice->end > place.end) {
            return at_line(place.line, "the new value would reach beyond the old one");
        }
        const auto [at, fresh] = out.try_emplace(place.node, std::move(*splice));
        if (!fresh && at->second.text != splice->text) {
            return at_line(place.line, "two edits want to write different values here");
        }
    }
    return out;
}

std::string apply(std::string_view bytes, const splices& planned) {
    std::string out;
    std::size_t from = 0;
    for (const auto& [node, splice] : planned) {
        out += bytes.substr(from, splice.begin - from);
        out += splice.bytes;
        from = splice.end;
    }
    out += bytes.substr(from);
    return out;
}

bool same_structure(const syntax_node& a, const syntax_node& b) {
    return a.what == b.what && a.is_key == b.is_key && a.parent == b.parent && a.key == b.key &&
           a.children == b.children && a.tag == b.tag;
}

bool is_string(const syntax_node& n) {
    if (!n.tag.empty()) return true; // write_scalar() let only tags through that leave a string one
    const auto value = yaml::resolve(n.text, n.style == yaml::scalar_style::plain, n.tag);
    return value && value->is_string();
}

// Every node is what it was, but for the edited ones, which read as the new strings.
bool only_edits_differ(const syntax& before, const syntax& after, const splices& planned) {
    if (after.nodes.size() != before.nodes.size() || after.documents != before.documents) {
        return false;
    }
    for (std::size_t i = 0; i < before.nodes.size(); ++i) {
        const auto& was = before.nodes[i];
        const auto& is = after.nodes[i];
        if (!same_structure(was, is)) return false;
        const auto edited = planned.find(i);
        const bool right = edited == planned.end()
                               ? is.text == was.text && is.style == was.style
                               : is.text == edited->second.text && is_string(is);
        if (!right) return false;
    }
    return true;
}

// What the tree does not hold: brackets, directives, names of anchors, how tags are spelt, and the comments.
bool same_trimmings(
    std::string_view old_bytes,
    const syntax& before,
    std::string_view new_bytes,
    const syntax& after
) {
    const auto marks = [](const syntax& file) {
        std::vector<std::pair<yaml::token_kind, std::string_view>> out;
        for (const auto& t : file.tokens) {
            if (t.what != yaml::token_kind::scalar) out.emplace_back(t.what, t.text);
        }
        return out;
    };
    const auto comments = [](std::string_view bytes, const syntax& file) {
        std::vector<std::string_view> out;
        out.reserve(file.comments.size());
        for (const auto& c : file.comments) out.push_back(bytes.substr(c.begin, c.end - c.begin));
        return out;
    };
    return marks(before) == marks(after) &&
           comments(old_bytes, before) == comments(new_bytes, after);
}

} // namespace

result<std::string>
edit(std::string_view bytes, const yaml::syntax& file, std::span<const scalar_edit> edits) {
    const auto planned = plan(bytes, file, edits);
    if (!planned) return planned.error();
    if (planned->empty()) return std::string{bytes};
    auto out = apply(bytes, *planned);
    const auto after = yaml::parse_syntax(out);
    const bool exact = after && only_edits_differ(file, *after, *planned) &&
                       same_trimmings(bytes, file, out, *after);
    if (exact) return out;
    return at_line(
        file.nodes[planned->begin()->first].line,
        "writing the new value here would change more than this value; put the old one on one "
        "line, in quotes"
    );
}

} // namespace sluice::promotion
