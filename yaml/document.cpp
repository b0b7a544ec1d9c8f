#include "yaml/document.hpp"

#include "yaml/node.hpp"
#include "yaml/scalar.hpp"

#include <fmt/format.h>

namespace sluice::yaml {
namespace {

using nlohmann::json;

// A tag that a collection may carry without meaning anything else than it is.
bool is_own_tag(const node& n) {
    const std::string_view own =
        n.what == node::kind::mapping ? "tag:yaml.org,2002:map" : "tag:yaml.org,2002:seq";
    return n.tag.empty() || n.tag == "!" || n.tag == own;
}

bool is_merge_key(const node& key) {
    return key.what == node::kind::scalar && key.text == "<<" &&
           (key.plain || key.tag == "tag:yaml.org,2002:merge");
}

// Turns the tree into JSON; here aliases are expanded, so here the cost is counted.
class converter {
public:
    result<document> run(const node& root) {
        document_ = document{};
        json value;
        if (!convert(root, "", root.at, 0, value)) return std::move(error_);
        document_.value = std::move(value);
        return std::move(document_);
    }

private:
    bool fail(position at, std::string_view what) {
        error_ = error_at(at, what);
        return false;
    }

    bool convert(const node& n, const std::string& pointer, position at, int depth, json& out) {
        spent_ += pointer.size() + n.text.size() + sizeof(json);
        if (spent_ > max_expanded)
            return fail(n.at, "the aliases of this file expand to too much; write less of them");
        if (depth > max_depth)
            return fail(n.at, fmt::format("nested deeper than {} levels", max_depth));
        document_.positions.insert_or_assign(pointer, at);
        switch (n.what) {
        case node::kind::scalar: return convert_scalar(n, pointer, out);
        case node::kind::sequence: return convert_sequence(n, pointer, depth, out);
        case node::kind::mapping: break;
        }
        out = json::object();
        return check_tag(n) && add_members(n, pointer, depth, out) &&
               merge_members(n, pointer, depth, out);
    }

    bool check_tag(const node& n) {
        return is_own_tag(n) ||
               fail(n.at, fmt::format("the tag {} is not supported; remove it", n.tag));
    }

    bool convert_scalar(const node& n, const std::string& pointer, json& out) {
        auto value = resolve(n.text, n.plain, n.tag);
        if (!value) return fail(n.at, value.error().message);
        out = std::move(*value);
        if (n.plain && !out.is_string()) document_.sources.insert_or_assign(pointer, n.text);
        return true;
    }

    bool convert_sequence(const node& n, const std::string& pointer, int depth, json& out) {
        if (!check_tag(n)) return false;
        out = json::array();
        for (const node* item : n.items) {
            json value;
            if (!convert(*item, child(pointer, out.size()), item->at, depth + 1, value))
                return false;
            out.push_back(std::move(value));
        }
        return true;
    }

    bool add_members(const node& n, const std::string& pointer, int depth, json& out) {
        bool merged = false;
        for (const auto& [key, value] : n.members) {
            if (key->what != node::kind::scalar)
                return fail(key->at, "a key must be a word, not a list or a mapping");
            if (key->text.size() > max_key)
                return fail(key->at, fmt::format("a key longer than {} bytes", max_key));
            const bool again =
                is_merge_key(*key) ? std::exchange(merged, true) : out.contains(key->text);
            if (again) {
                return fail(
                    key->at,
                    fmt::format("the key \"{}\" is there twice; remove one of them", key->text)
                );
            }
            if (is_merge_key(*key)) continue;
            json member;
            if (!convert(*value, child(pointer, key->text), key->at, depth + 1, member))
                return false;
            out.emplace(key->text, std::move(member));
        }
        return true;
    }

    // `<<: *base` or `<<: [*a, *b]`: what is written in the mapping itself wins, then the earlier of the list.
    bool merge_members(const node& n, const std::string& pointer, int depth, json& out) {
        for (const auto& [key, value] : n.members) {
            if (!is_merge_key(*key)) continue;
            const bool list = value->what == node::kind::sequence;
            const auto sources = list ? value->items : std::vector<const node*>{value};
            for (const node* source : sources) {
                if (source->what != node::kind::mapping)
                    return fail(key->at, "<< takes a mapping or a list of mappings");
                if (!merge_one(*source, pointer, depth, out)) return false;
            }
        }
        return true;
    }

    bool merge_one(const node& source, const std::string& pointer, int depth, json& out) {
        json members = json::object();
        document inner = std::exchange(document_, {});
        const bool ok = convert(source, pointer, source.at, depth + 1, members);
        std::swap(inner, document_);
        if (!ok) return false;
        for (auto& [name, value] : members.items()) {
            if (out.contains(name)) continue;
            const auto path = child(pointer, name);
            take(inner.positions, document_.positions, path);
            take(inner.sources, document_.sources, path);
            out.emplace(name, std::move(value));
        }
        return true;
    }

    // Moves the entries of one subtree: the pointer itself and all that begin with it and a slash.
    template <class Map>
    static void take(Map& from, Map& to, const std::string& path) {
        if (auto self = from.extract(path)) to.insert(std::move(self));
        const auto prefix = path + "/";
        for (auto it = from.lower_bound(prefix);
             it != from.end() && it->first.starts_with(prefix);) {
            to.insert(from.extract(it++));
        }
    }

    std::size_t spent_ = 0;
    document document_;
    error error_;
};

} // namespace

std::string child(std::string_view pointer, std::string_view key) {
    std::string out{pointer};
    out += '/';
    for (const char c : key) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

std::string child(std::string_view pointer, std::size_t index) {
    return fmt::format("{}/{}", pointer, index);
}

position document::where(std::string_view pointer) const {
    for (;;) {
        const auto found = positions.find(pointer);
        if (found != positions.end()) return found->second;
        const auto slash = pointer.rfind('/');
        if (slash == std::string_view::npos) return {1, 1};
        pointer = pointer.substr(0, slash);
    }
}

std::string_view document::source(std::string_view pointer) const {
    const auto found = sources.find(pointer);
    return found == sources.end() ? std::string_view{} : std::string_view{found->second};
}

result<std::vector<document>> read_documents(std::string_view text) {
    auto composed = compose(text);
    if (!composed) return composed.error();
    converter convert;
    std::vector<document> documents;
    for (const node* root : composed->documents) {
        auto read = convert.run(*root);
        if (!read) return read.error();
        if (!read->value.is_null()) documents.push_back(std::move(*read));
    }
    return documents;
}

} // namespace sluice::yaml
