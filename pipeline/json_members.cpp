#include "pipeline/event_document.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::pipeline {
namespace {

std::string_view with_article(json_type type) {
    switch (type) {
    case json_type::null: return "null";
    case json_type::boolean: return "a boolean";
    case json_type::number: return "a number";
    case json_type::string: return "a string";
    case json_type::array: return "an array";
    case json_type::object: return "an object";
    }
    return "unknown";
}

bool is_absent(const json_member* m) {
    return m == nullptr || m->type == json_type::null;
}

} // namespace

const json_member* json_members::find(std::string_view name) const {
    const auto found = std::ranges::find(members_, name, &json_member::name);
    return found == members_.end() ? nullptr : &*found;
}

result<std::optional<std::string_view>> json_members::text(std::string_view name) const {
    const auto* m = find(name);
    if (is_absent(m)) return std::optional<std::string_view>{};
    if (m->type != json_type::string) return wrong_type(*m, "a string");
    return std::optional<std::string_view>{m->text};
}

result<std::optional<bool>> json_members::flag(std::string_view name) const {
    const auto* m = find(name);
    if (is_absent(m)) return std::optional<bool>{};
    if (m->type != json_type::boolean) return wrong_type(*m, "true or false");
    return std::optional<bool>{m->flag};
}

result<std::string_view> json_members::required_text(std::string_view name) const {
    const auto* m = find(name);
    if (m == nullptr) return error{errc::invalid_argument, path_of(name) + ": is missing"};
    if (m->type != json_type::string) return wrong_type(*m, "a string");
    if (m->text.empty())
        return error{errc::invalid_argument, path_of(name) + ": must not be empty"};
    return std::string_view{m->text};
}

std::string json_members::path_of(std::string_view name) const {
    std::string path{path_};
    path += '/';
    for (const char c : name) {
        if (c == '~')
            path += "~0";
        else if (c == '/')
            path += "~1";
        else
            path += c;
    }
    return path;
}

error json_members::wrong_type(const json_member& m, std::string_view wanted) const {
    return {
        errc::invalid_argument,
        fmt::format("{}: must be {}, is {}", path_of(m.name), wanted, with_article(m.type))
    };
}

} // namespace sluice::pipeline
