#include "lint/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>

// `version: 6.1.8 # {"$promotion": "ns:pipeline:env"}`: the scalars that promotions write.
namespace sluice::lint {
namespace {

using nlohmann::json;

struct marker_line {
    const manifest_file& file;
    int number;
    int column;
    std::string_view comment; // after '#'

    void tell(findings& out, severity s, std::string message, std::string remedy) const {
        out.add({s, file.name, number, column, std::move(message), std::move(remedy)});
    }
};

constexpr std::string_view form = "write # {\"$promotion\": \"<pipeline namespace>:<pipeline "
                                  "name>:<environment this manifest deploys>\"}";

std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts;
    for (;;) {
        const auto colon = text.find(':');
        parts.emplace_back(text.substr(0, colon));
        if (colon == std::string_view::npos) return parts;
        text.remove_prefix(colon + 1);
    }
}

void check_name(
    const workspace& w, const marker_line& line, const std::string& name, findings& out
) {
    const auto parts = parts_of(name);
    const bool whole = parts.size() == 3 && std::ranges::none_of(parts, &std::string::empty);
    if (!whole)
        return line.tell(
            out,
            severity::error,
            fmt::format("the marker \"{}\" is not ns:pipeline:environment", name),
            std::string{form}
        );
    if (w.pipelines.empty()) return; // nothing to compare with
    const auto* p = w.find_pipeline(parts[0], parts[1]);
    if (p == nullptr) {
        return line.tell(
            out,
            severity::error,
            fmt::format(
                "the marker names pipeline {}/{}, which is not among the files given",
                parts[0],
                parts[1]
            ),
            "correct the name, or lint the pipeline's file too"
        );
    }
    if (p->definition.find(parts[2]) == nullptr) {
        line.tell(
            out,
            severity::error,
            fmt::format("pipeline {}/{} has no environment {}", parts[0], parts[1], parts[2]),
            fmt::format("name one of those at {}", p->from.place("/spec/environments"))
        );
    } else if (parts[2] == p->definition.environments.front().name) {
        line.tell(
            out,
            severity::warning,
            fmt::format(
                "{} is the first environment, nothing is promoted into it but by a trigger",
                parts[2]
            ),
            "name the environment that this manifest deploys"
        );
    }
}

void check_line(const workspace& w, const marker_line& line, findings& out) {
    const auto value = json::parse(line.comment, nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded() || !value.is_object()) {
        return line.tell(
            out,
            severity::error,
            "the marker is not one JSON object, so nothing will be written here",
            std::string{form}
        );
    }
    for (const auto& [key, text] : value.items()) {
        if (!text.is_string())
            return line.tell(
                out,
                severity::error,
                fmt::format("the marker's {} is not a string", key),
                std::string{form}
            );
    }
    const auto found = value.find("$promotion");
    if (found != value.end()) check_name(w, line, found->get<std::string>(), out);
}

} // namespace

void check_markers(const workspace& w, findings& out) {
    for (const auto& file : w.files) {
        std::string_view rest = file.text;
        for (int number = 1; !rest.empty(); ++number) {
            const auto end = rest.find('\n');
            auto line = rest.substr(0, end);
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
            if (line.ends_with('\r')) line.remove_suffix(1);
            const auto word = line.find("$promotion");
            const auto hash = line.rfind('#', word);
            if (word == std::string_view::npos || hash == std::string_view::npos) continue;
            const auto column =
                static_cast<int>(std::ranges::count_if(line.substr(0, hash), [](char c) {
                    return (static_cast<unsigned char>(c) & 0xC0U) !=
                           0x80U; // characters, not bytes
                }));
            const auto comment = line.substr(hash + 1);
            // Prose about markers is not one: a marker's comment begins with its object.
            const auto begins = comment.find_first_not_of(" \t");
            if (begins == std::string_view::npos || comment[begins] != '{') continue;
            check_line(w, {file, number, column + 1, comment}, out);
        }
    }
}

} // namespace sluice::lint
