#include "promotion/text/body_sections.hpp"

#include "base/rfc3339.hpp"
#include "promotion/text/markdown.hpp"

#include <algorithm>

namespace sluice::promotion::text {
namespace {

std::string code(std::string_view value) {
    return code_span(shortened(value, 120));
}

std::string and_more(std::size_t all, std::size_t shown, std::string_view what) {
    if (all <= shown) return {};
    return "\nand " + std::to_string(all - shown) + " more " + std::string{what} + "\n";
}

std::string first_line(const text_input& in) {
    const auto& p = in.promotion;
    const bool back = p.id.kind == pipeline::promotion_kind::rollback;
    auto line = std::string{back ? "Rolls " : "Promotes "} + code(p.id.pipeline.text());
    if (!in.app.empty()) line += " (" + code(in.app) + ")";
    if (back) line += " back";
    if (!p.from_environment.empty()) line += " from " + code(p.from_environment);
    line += (back ? " in " : " to ") + code(p.id.environment) + ": ";
    const auto previous = previous_of(in);
    if (!previous.empty()) line += code(previous) + " → ";
    return line + "**" + code(p.id.revision) + "**\n\n";
}

std::string changes(const text_input& in, std::size_t rows) {
    std::string text = "### What changes\n\n";
    if (in.changes.empty()) return text + "Nothing: the manifests say so already.\n\n";
    const auto shown = std::min(rows, in.changes.size());
    if (shown > 0) text += "| Where | From | To |\n|---|---|---|\n";
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& c = in.changes[i];
        const auto place = c.line > 0 ? c.path + ":" + std::to_string(c.line) : c.path;
        text += "| " + code(place) + " | " + code(c.from) + " | " + code(c.to) + " |\n";
    }
    return text + and_more(in.changes.size(), shown, "changes") + "\n";
}

std::string proofs(const text_input& in, std::size_t rows) {
    const auto& p = in.promotion;
    std::string text = "### What proves it\n\n";
    if (in.evidence.empty()) {
        text += p.from_environment.empty() ? "Nothing: somebody asked for it.\n"
                                           : "No report of " + code(p.from_environment) +
                                                 " stands at the moment: somebody asked for it.\n";
    } else if (!p.from_environment.empty()) {
        text += "In " + code(p.from_environment) + ", by signed events:\n\n";
    }
    text += evidence_table(in, rows);
    if (const auto run = link(p.url); !run.empty()) text += "\nCI run: " + run + "\n";
    return text + "\n";
}

std::string on_merge(const text_input& in) {
    const auto& id = in.promotion.id;
    std::string text = "### What happens on merge\n\n";
    text += "Flux deploys " + code(id.revision) + " to " + code(id.environment);
    if (!in.base_branch.empty()) text += " from " + code(in.base_branch);
    text += in.next_environment.empty()
                ? ", the end of its way.\n"
                : ". Once it is proven there, it goes on to " + code(in.next_environment) + ".\n";
    if (in.auto_merge) text += "Auto-merge is on: it merges as soon as the forge allows it.\n";
    text += "A newer revision takes its place. Closing it ends the promotion; ";
    return text + "`sluice retry` with the id below opens a new one.\n\n";
}

std::string remarks(const text_input& in, std::size_t rows) {
    if (in.remarks.empty()) return {};
    const auto shown = std::min(rows, in.remarks.size());
    std::string text = "### Worth a look\n\n";
    for (std::size_t i = 0; i < shown; ++i) text += "- " + code(in.remarks[i]) + "\n";
    return text + and_more(in.remarks.size(), shown, "remarks") + "\n";
}

// The diff takes what the rest leaves; nothing when the rest alone is too long.
std::string sections(const text_input& in, std::size_t rows, std::size_t room, bool with_diff) {
    const auto before = first_line(in) + changes(in, rows);
    const auto after = proofs(in, rows) + on_merge(in) + remarks(in, rows) + "Promotion " +
                       code_span(in.promotion.id.text()) + "\n\n";
    const auto used = before.size() + after.size() + 1;
    if (used > room) return {};
    auto diff =
        with_diff && !in.diff.empty() ? fenced("diff", in.diff, room - used) : std::string{};
    if (!diff.empty()) diff += '\n';
    return before + diff + after;
}

} // namespace

std::string previous_of(const text_input& in) {
    if (!in.promotion.work.replaced.empty()) return in.promotion.work.replaced;
    return in.changes.empty() ? std::string{} : in.changes.front().from;
}

std::string evidence_table(const text_input& in, std::size_t rows) {
    const auto shown = std::min(rows, in.evidence.size());
    if (shown == 0) return and_more(in.evidence.size(), shown, "targets");
    std::string text = "| Target | Revision | Proof | Signed at |\n|---|---|---|---|\n";
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& p = in.evidence[i];
        const auto kind = p.target.empty() ? "claimed by CI"
                          : p.tested       ? "healthy, tested"
                                           : "healthy";
        text += "| " + (p.target.empty() ? std::string{"all"} : code(p.target)) + " | " +
                code(p.revision) + " | " + kind + " | " + format_rfc3339(p.signed_at) + " |\n";
    }
    return text + and_more(in.evidence.size(), shown, "targets");
}

std::string default_sections(const text_input& in, std::size_t room) {
    for (const std::size_t rows : {50U, 5U, 0U}) {
        auto text = sections(in, rows, room, rows > 0);
        if (!text.empty()) return text;
    }
    auto least = first_line(in);
    return least.size() <= room ? least : std::string{};
}

std::string weave_block(const text_input& in) {
    const auto& id = in.promotion.id;
    return "<details>\n<summary>metadata</summary>\n!!! DO NOT EDIT !!!\n\n" +
           inline_text(id.pipeline.text() + "/" + id.environment) + "\n</details>\n";
}

} // namespace sluice::promotion::text
