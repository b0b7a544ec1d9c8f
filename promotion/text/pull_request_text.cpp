#include "promotion/text/pull_request_text.hpp"

#include "base/rfc3339.hpp"
#include "promotion/text/body_sections.hpp"
#include "promotion/text/markdown.hpp"

#include <algorithm>

namespace sluice::promotion::text {
namespace {

constexpr std::size_t longest_title = 240; // Gitea, GitLab and Bitbucket take 255, with "Draft: "
constexpr std::size_t longest_value = 512;
constexpr std::size_t longest_message = 16'384;

enum class style { plain, markdown };

std::string plain_evidence(const text_input& in) {
    std::string lines;
    for (const auto& p : in.evidence) {
        lines.append(p.target.empty() ? "CI" : one_line(p.target))
            .append(": ")
            .append(one_line(p.revision));
        lines.append(p.tested ? ", tested, " : ", ")
            .append(format_rfc3339(p.signed_at))
            .append("\n");
    }
    return lines;
}

pipeline::template_values values_of(const text_input& in, style s, std::size_t diff_limit) {
    const auto shown = [s](std::string_view value) {
        const auto line = shortened(one_line(value), longest_value);
        return s == style::plain ? line : inline_text(line);
    };
    const auto& id = in.promotion.id;
    const auto& facts = in.promotion.facts;
    return {
        {"namespace", shown(id.pipeline.ns)},
        {"pipeline", shown(id.pipeline.name)},
        {"environment", shown(id.environment)},
        {"revision", shown(id.revision)},
        {"previous", shown(previous_of(in))},
        {"fromEnvironment", shown(in.promotion.from_environment)},
        {"appVersion", shown(facts.app_version)},
        {"digest", shown(facts.digest)},
        {"image", shown(facts.image)},
        {"tag", shown(facts.tag)},
        {"promotion", shown(id.text())},
        {"url", s == style::plain ? shown(in.promotion.url) : link(in.promotion.url)},
        {"diff",
         s == style::plain ? shortened(in.diff, diff_limit) : fenced("diff", in.diff, diff_limit)},
        {"evidence", s == style::plain ? plain_evidence(in) : evidence_table(in, 50)},
    };
}

std::string default_title(const text_input& in) {
    const auto& id = in.promotion.id;
    const bool back = id.kind == pipeline::promotion_kind::rollback;
    return (back ? "Roll back " : "Promote ") + id.pipeline.text() + " in " + id.environment +
           " to " + id.revision;
}

std::string from_template(const text_input& in, std::string_view templ, std::size_t room) {
    const auto without_diff = pipeline::render(templ, values_of(in, style::markdown, 0));
    const auto left = room > without_diff.size() ? room - without_diff.size() : 0;
    auto whole = pipeline::render(templ, values_of(in, style::markdown, left));
    // A template that shows the diff twice goes without it rather than too long.
    auto text = shortened(whole.size() <= room ? whole : without_diff, room);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text.append("\n\n");
}

bool is_trailer(std::string_view line) {
    const auto colon = line.find(": ");
    if (colon == 0 || colon == std::string_view::npos) return false;
    return std::ranges::all_of(line.substr(0, colon), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-';
    });
}

// git takes only the last paragraph for trailers, and never the subject.
bool ends_with_trailers(std::string_view message) {
    const auto paragraph = message.rfind("\n\n");
    if (paragraph == std::string_view::npos) return false;
    for (auto rest = message.substr(paragraph + 2); !rest.empty();) {
        const auto end = rest.find('\n');
        if (!is_trailer(rest.substr(0, end))) return false;
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
    return true;
}

} // namespace

std::size_t longest_body(pipeline::forge type) noexcept {
    return type == pipeline::forge::bitbucket_server ? 32'768 : 65'536;
}

std::string title(const text_input& in, std::string_view templ) {
    auto text = templ.empty() ? default_title(in)
                              : pipeline::render(templ, values_of(in, style::plain, longest_title));
    return shortened(one_line(text), longest_title);
}

std::string body(const text_input& in, std::string_view templ, std::size_t limit) {
    const auto end = weave_block(in);
    const auto room = limit > end.size() + 2 ? limit - end.size() - 2 : 0;
    return (templ.empty() ? default_sections(in, room) : from_template(in, templ, room)) + end;
}

std::string commit_message(const text_input& in, std::string_view templ) {
    auto message = templ.empty()
                       ? one_line(default_title(in))
                       : pipeline::render(templ, values_of(in, style::plain, longest_message / 2));
    message = shortened(message, longest_message);
    while (!message.empty() && (message.back() == '\n' || message.back() == ' '))
        message.pop_back();
    if (message.empty()) message = one_line(default_title(in));
    message.append(ends_with_trailers(message) ? "\n" : "\n\n");
    return message.append("Sluice-Promotion: ")
        .append(one_line(in.promotion.id.text()))
        .append("\n");
}

} // namespace sluice::promotion::text
