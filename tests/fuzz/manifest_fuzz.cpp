// Any file, any value: an edit either is refused or leaves a file that parses, in which the intended scalars and
// nothing else changed. The first line of the input is the value, the rest is the file.
#include "promotion/manifest/edit.hpp"
#include "yaml/node.hpp"

#include <cstdint>
#include <cstdlib>
#include <map>

using namespace sluice;
using namespace sluice::promotion;

namespace {

void require(bool ok) {
    if (!ok) std::abort();
}

bool is_block(const yaml::syntax_node& n) {
    return n.style == yaml::scalar_style::literal || n.style == yaml::scalar_style::folded;
}

// By libyaml's events, which the editor does not look at: the same nodes with the same texts, but for the edited
// ones.
void only_intended_leaves_differ(
    std::string_view before,
    std::string_view after,
    const yaml::syntax& file,
    const std::map<std::size_t, std::string>& edited
) {
    const auto old_tree = yaml::compose(before);
    const auto new_tree = yaml::compose(after);
    require(old_tree.has_value() && new_tree.has_value());
    require(old_tree->nodes.size() == new_tree->nodes.size());
    std::size_t ordinal = 0;
    for (std::size_t i = 0; i < file.nodes.size(); ++i) {
        if (file.nodes[i].what == yaml::syntax_node::kind::alias) continue;
        const auto& was = old_tree->nodes[ordinal];
        const auto& is = new_tree->nodes[ordinal];
        ++ordinal;
        require(is.what == was.what && is.tag == was.tag);
        require(is.items.size() == was.items.size() && is.members.size() == was.members.size());
        const auto wanted = edited.find(i);
        if (wanted == edited.end()) {
            require(is.text == was.text && is.plain == was.plain);
        } else {
            auto text = std::string_view{is.text};
            while (is_block(file.nodes[i]) && text.ends_with('\n')) text.remove_suffix(1);
            require(text == wanted->second);
        }
    }
}

void other_bytes_are_identical(
    std::string_view before,
    const yaml::syntax& old_file,
    std::string_view after,
    const std::map<std::size_t, std::string>& edited
) {
    const auto new_file = yaml::parse_syntax(after);
    require(new_file.has_value() && new_file->nodes.size() == old_file.nodes.size());
    std::size_t old_end = 0;
    std::size_t new_end = 0;
    for (const auto& [node, value] : edited) {
        const auto& was = old_file.nodes[node];
        const auto& is = new_file->nodes[node];
        std::string gap{before.substr(old_end, was.begin - old_end)};
        if (was.missing) gap += ' ';
        require(gap == after.substr(new_end, is.begin - new_end));
        old_end = was.end;
        new_end = is.end;
    }
    require(before.substr(old_end) == after.substr(new_end));
}

void check(
    std::string_view bytes, const yaml::syntax& file, const std::vector<scalar_edit>& edits
) {
    const auto edited = edit(bytes, file, edits);
    if (!edited) {
        require(edited.error().code == errc::unprocessable);
        return;
    }
    std::map<std::size_t, std::string> values;
    for (const auto& e : edits) values.emplace(e.place.node, e.value);
    only_intended_leaves_differ(bytes, *edited, file, values);
    other_bytes_are_identical(bytes, file, *edited, values);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view bytes{reinterpret_cast<const char*>(data), size};
    const auto line = bytes.find('\n');
    if (line == std::string_view::npos) return 0;
    const std::string value{bytes.substr(0, line)};
    bytes.remove_prefix(line + 1);

    const auto file = yaml::parse_syntax(bytes);
    // Whatever libyaml reads the editor must be able to follow.
    require(file.has_value() == yaml::compose(bytes).has_value());
    if (!file) return 0;

    std::vector<scalar_edit> all;
    for (std::size_t i = 0; i < file->nodes.size(); ++i) {
        const auto& n = file->nodes[i];
        if (n.what != yaml::syntax_node::kind::scalar || n.is_key) continue;
        if (n.begin == yaml::syntax_node::no_place) continue;
        all.push_back({place_of(*file, i), value});
        if (i < 8) check(bytes, *file, {all.back()});
    }
    check(bytes, *file, all);

    const auto found = find_markers(bytes);
    require(found.has_value());
    std::vector<scalar_edit> marked;
    for (const auto& m : found->scalars) marked.push_back({m.scalar, value});
    check(bytes, *file, marked);
    return 0;
}
