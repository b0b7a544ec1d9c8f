#include "lint/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::lint {
namespace {

finding
made(severity s, const object& o, std::string_view below, std::string message, std::string remedy) {
    const auto at = o.document->where(o.pointer + std::string{below});
    return {s, o.file->name, at.line, at.column, std::move(message), std::move(remedy)};
}

} // namespace

const nlohmann::json* object::find(std::initializer_list<std::string_view> path) const {
    const auto* here = value;
    for (const auto name : path) {
        if (!here->is_object()) return nullptr;
        const auto found = here->find(name);
        if (found == here->end()) return nullptr;
        here = &*found;
    }
    return here;
}

std::string object::text(std::initializer_list<std::string_view> path) const {
    const auto* found = find(path);
    return found != nullptr && found->is_string() ? found->get<std::string>() : std::string{};
}

pipeline::object_name object::name() const {
    return {text({"metadata", "namespace"}), text({"metadata", "name"})};
}

std::string object::place(std::string_view pointer_below) const {
    const auto at = document->where(pointer + std::string{pointer_below});
    return fmt::format("{}:{}:{}", file->name, at.line, at.column);
}

void findings::error(
    const object& o, std::string_view below, std::string message, std::string remedy
) {
    add(made(severity::error, o, below, std::move(message), std::move(remedy)));
}

void findings::warning(
    const object& o, std::string_view below, std::string message, std::string remedy
) {
    add(made(severity::warning, o, below, std::move(message), std::move(remedy)));
}

std::vector<finding> findings::take() {
    std::ranges::sort(all_, {}, [](const finding& f) {
        return std::tie(f.file, f.line, f.column, f.severity, f.message, f.remedy);
    });
    const auto repeated = std::ranges::unique(all_);
    all_.erase(repeated.begin(), repeated.end());
    return std::move(all_);
}

const known_pipeline* workspace::find_pipeline(std::string_view ns, std::string_view name) const {
    const auto found = std::ranges::find_if(pipelines, [&](const known_pipeline& p) {
        return p.definition.name.ns == ns && p.definition.name.name == name;
    });
    return found == pipelines.end() ? nullptr : &*found;
}

const known_secret* workspace::find_secret(std::string_view ns, std::string_view name) const {
    const auto found = std::ranges::find_if(secrets, [&](const known_secret& s) {
        return s.name.name == name && (s.name.ns == ns || s.name.ns.empty());
    });
    return found == secrets.end() ? nullptr : &*found;
}

} // namespace sluice::lint
