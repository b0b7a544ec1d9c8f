#include "cli/outcome_text.hpp"

#include <fmt/format.h>

namespace sluice::cli {
namespace {

using json = nlohmann::ordered_json;

std::string text_of(const json& from, const char* name, bool lines = false) {
    const auto found = from.find(name);
    if (found == from.end() || !found->is_string()) return {};
    return printable(found->get<std::string>(), lines);
}

std::string with_line_break(std::string text) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    return text;
}

} // namespace

std::string printable(std::string text, bool lines) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool kept = lines && (c == '\n' || c == '\t');
        if ((c < 0x20 && !kept) || c == 0x7f) text[i] = '?';
        // Control characters of UTF-8's second page.
        const bool second_page =
            c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if (second_page) text.replace(i, 2, "?");
    }
    return text;
}

int print_outcome(const result<json>& answer, std::string_view command, bool as_json, console& c) {
    if (!answer) {
        c.err << "sluice " << command << ": " << printable(answer.error().message) << '\n';
        return failed;
    }
    if (as_json) {
        c.out << answer->dump(2, ' ', false, json::error_handler_t::replace) << '\n';
    } else {
        const auto id = text_of(*answer, "promotion");
        const auto reason = text_of(*answer, "reason");
        c.out << (reason.starts_with(id) ? reason : id + ": " + reason) << '\n';
    }
    return done;
}

std::string preview_text(const json& preview) {
    std::string out = fmt::format(
        "Nothing is changed. Promoting would push the branch {} to {} and propose it for {}:\n\n",
        text_of(preview, "branch"),
        text_of(preview, "repository"),
        text_of(preview, "baseBranch")
    );
    out += text_of(preview, "title") + "\n\n";
    out += with_line_break(text_of(preview, "body", true)) + "\n";
    const auto diff = with_line_break(text_of(preview, "diff", true));
    out += diff.empty() ? "The repository already says it: there is nothing to change.\n" : diff;
    const auto remarks = preview.value("remarks", json::array());
    for (const auto& remark : remarks) {
        if (remark.is_string()) out += "note: " + printable(remark.get<std::string>()) + '\n';
    }
    return out;
}

} // namespace sluice::cli
