#include "promotion/manifest/field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace sluice::promotion {
namespace {

using yaml::syntax;
using yaml::syntax_node;

struct by_key {
    std::string_view key;
};
struct by_index {
    std::size_t index = 0;
};
struct by_member {
    std::string_view key;
    std::string_view value;
};

struct step {
    std::variant<by_key, by_index, by_member> how;
    std::string_view so_far; // the path up to and with this step
};

// No list is longer, and the number cannot run over.
constexpr std::size_t max_index = 1'000'000;

class path_reader {
public:
    explicit path_reader(std::string_view path) : path_(path) {}

    result<std::vector<step>> run() {
        std::vector<step> steps;
        while (at_ < path_.size()) {
            const bool ok = path_[at_] == '[' ? bracket() : key(steps.empty());
            if (!ok) return wrong();
            steps.push_back({how_, path_.substr(0, at_)});
        }
        if (steps.empty()) return wrong();
        return steps;
    }

private:
    bool key(bool first) {
        if (!first && path_[at_++] != '.') return false;
        const auto end = std::min(path_.find_first_of(".[]", at_), path_.size());
        how_ = by_key{path_.substr(at_, end - at_)};
        const bool some = end > at_;
        at_ = end;
        return some;
    }

    bool bracket() {
        const bool quoted = path_.substr(at_ + 1).starts_with('"');
        const auto begin = at_ + (quoted ? 2 : 1);
        const auto end = path_.find(quoted ? "\"]" : "]", begin);
        if (end == std::string_view::npos || end == begin) return false;
        at_ = end + (quoted ? 2 : 1);
        const auto inside = path_.substr(begin, end - begin);
        if (quoted) {
            how_ = by_key{inside};
            return true;
        }
        if (const auto equals = inside.find('='); equals != std::string_view::npos) {
            how_ = by_member{inside.substr(0, equals), inside.substr(equals + 1)};
            return equals != 0 && equals + 1 < inside.size();
        }
        return index(inside);
    }

    bool index(std::string_view digits) {
        by_index item;
        for (const char c : digits) {
            if (c < '0' || c > '9' || item.index > max_index) return false;
            item.index = item.index * 10 + static_cast<std::size_t>(c - '0');
        }
        how_ = item;
        return true;
    }

    [[nodiscard]] error wrong() const {
        return {
            errc::unprocessable,
            fmt::format(
                "\"{}\" is no path to a field; write it like spec.chart.spec.version, "
                "images[0].newTag, containers[name=app].image or labels[\"a.b/c\"]",
                path_
            )
        };
    }

    std::string_view path_;
    std::size_t at_ = 0;
    std::variant<by_key, by_index, by_member> how_;
};

// The value of a key of this mapping; keys that are there twice lead nowhere.
std::size_t member(const syntax& file, std::size_t id, std::string_view key) {
    const auto& n = file.nodes[id];
    auto found = yaml::no_node;
    if (n.what != syntax_node::kind::mapping) return found;
    for (std::size_t i = 0; i + 1 < n.children.size(); i += 2) {
        const auto& k = file.nodes[n.children[i]];
        if (k.what != syntax_node::kind::scalar || k.text != key) continue;
        if (found != yaml::no_node) return yaml::no_node;
        found = n.children[i + 1];
    }
    return found;
}

// The only item that has this member.
std::size_t item(const syntax& file, std::size_t id, const by_member& wanted) {
    auto found = yaml::no_node;
    for (const auto child : file.nodes[id].children) {
        const auto value = member(file, child, wanted.key);
        if (value == yaml::no_node || file.nodes[value].what != syntax_node::kind::scalar ||
            file.nodes[value].text != wanted.value) {
            continue;
        }
        if (found != yaml::no_node) return yaml::no_node;
        found = child;
    }
    return found;
}

std::size_t follow(const syntax& file, std::size_t id, const step& s) {
    if (const auto* key = std::get_if<by_key>(&s.how)) return member(file, id, key->key);
    const auto& n = file.nodes[id];
    if (n.what != syntax_node::kind::sequence) return yaml::no_node;
    if (const auto* wanted = std::get_if<by_member>(&s.how)) return item(file, id, *wanted);
    const auto index = std::get<by_index>(s.how).index;
    return index < n.children.size() ? n.children[index] : yaml::no_node;
}

error not_found(std::string_view why) {
    return {errc::unprocessable, std::string{why}};
}

result<scalar_place> end_of(const syntax& file, std::size_t id, std::string_view field) {
    const auto& n = file.nodes[id];
    if (n.what == syntax_node::kind::alias) {
        return not_found(fmt::format(
            "{} (line {}) is the alias *{}; name the field where its anchor stands",
            field,
            n.line,
            n.text
        ));
    }
    if (n.what != syntax_node::kind::scalar) {
        return not_found(
            fmt::format("{} (line {}) is a list or mapping, not a value", field, n.line)
        );
    }
    return place_of(file, id);
}

} // namespace

outcome check_field(std::string_view field) {
    const auto steps = path_reader{field}.run();
    if (!steps) return steps.error();
    return {};
}

result<scalar_place> find_field(const yaml::syntax& file, std::string_view field) {
    const auto steps = path_reader{field}.run();
    if (!steps) return steps.error();
    auto found = yaml::no_node;
    std::size_t deepest = 0;
    for (const auto root : file.documents) {
        auto at = root;
        std::size_t depth = 0;
        while (depth < steps->size()) {
            const auto next = follow(file, at, (*steps)[depth]);
            if (next == yaml::no_node) break;
            at = next;
            ++depth;
        }
        deepest = std::max(deepest, depth);
        if (depth < steps->size()) continue;
        if (found != yaml::no_node) {
            return not_found(fmt::format(
                "{} is in more than one document of the file (lines {} and {}); "
                "put the document into a file of its own",
                field,
                file.nodes[found].line,
                file.nodes[at].line
            ));
        }
        found = at;
    }
    if (found != yaml::no_node) return end_of(file, found, field);
    return not_found(
        deepest == 0
            ? fmt::format("{} is not there: no document has {}", field, steps->front().so_far)
            : fmt::format(
                  "{} is not there: {} has no single {}",
                  field,
                  (*steps)[deepest - 1].so_far,
                  (*steps)[deepest].so_far.substr((*steps)[deepest - 1].so_far.size())
              )
    );
}

} // namespace sluice::promotion
