#include "lint/workspace.hpp"
#include "promotion/manifest/find_markers.hpp"

#include <fmt/format.h>

#include <algorithm>

// `version: 6.1.8 # {"$promotion": "ns:pipeline:env"}`: the scalars that promotions write.
namespace sluice::lint {
namespace {

constexpr std::string_view form = "write # {\"$promotion\": \"<pipeline namespace>:<pipeline "
                                  "name>:<environment this manifest deploys>\"}";

// Where the comment of that line begins, in characters from 1.
int column_of_comment(std::string_view text, int line) {
    for (; line > 1; --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    text = text.substr(0, text.find('\n'));
    const auto before = text.substr(0, text.rfind('#', text.find("$promotion")));
    const auto starts_character = [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    };
    return 1 + static_cast<int>(std::ranges::count_if(before, starts_character));
}

struct marker_place {
    const manifest_file& file;
    int line;

    void tell(findings& out, severity s, std::string message, std::string remedy) const {
        const int column = column_of_comment(file.text, line);
        out.add({s, file.name, line, column, std::move(message), std::move(remedy)});
    }
};

void compare(
    const workspace& w, const marker_place& at, const promotion::promotion_key& named, findings& out
) {
    if (w.pipelines.empty()) return; // nothing to compare with
    const auto name = named.pipeline.text();
    const auto* p = w.find_pipeline(named.pipeline.ns, named.pipeline.name);
    if (p == nullptr) {
        return at.tell(
            out,
            severity::error,
            fmt::format("the marker names pipeline {}, which is not among the files given", name),
            "correct the name, or lint the pipeline's file too"
        );
    }
    if (p->definition.find(named.environment) == nullptr) {
        at.tell(
            out,
            severity::error,
            fmt::format("pipeline {} has no environment {}", name, named.environment),
            fmt::format("name one of those at {}", p->from.place("/spec/environments"))
        );
    } else if (named.environment == p->definition.environments.front().name) {
        at.tell(
            out,
            severity::warning,
            fmt::format(
                "{} is the first environment, nothing is promoted into it but by a trigger",
                named.environment
            ),
            "name the environment that this manifest deploys"
        );
    }
}

} // namespace

void check_markers(const workspace& w, findings& out) {
    for (const auto& file : w.files) {
        if (file.text.find(promotion::marker_bytes) == std::string::npos) continue;
        const auto found = promotion::find_markers(file.text);
        if (!found) continue; // what is no YAML was told when it was read
        for (const auto& stray : found->strays) {
            marker_place{file, stray.line}.tell(
                out,
                severity::error,
                fmt::format("the marker marks nothing: {}", stray.why),
                std::string{form}
            );
        }
        for (const auto& marked : found->scalars) {
            compare(w, {file, marked.marker_line}, marked.marker.promotion, out);
        }
    }
}

} // namespace sluice::lint
