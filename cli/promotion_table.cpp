#include "cli/promotion_table.hpp"

#include "cli/outcome_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sluice::cli {
namespace {

using json = nlohmann::ordered_json;
using row = std::vector<std::string>;

std::string field(const json& promotion, const char* name) {
    const auto found = promotion.find(name);
    if (found == promotion.end() || found->is_null()) return {};
    return printable(found->is_string() ? found->get<std::string>() : found->dump());
}

// In characters, as a terminal counts them for Latin text.
std::size_t width(std::string_view text) {
    const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts));
}

std::string aligned(const std::vector<row>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& r : rows) {
        for (std::size_t i = 0; i < r.size(); ++i) widths[i] = std::max(widths[i], width(r[i]));
    }
    std::string out;
    for (const auto& r : rows) {
        std::string line;
        for (std::size_t i = 0; i < r.size(); ++i) {
            line += r[i];
            if (i + 1 < r.size()) line.append(widths[i] - width(r[i]) + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

std::string why(const json& promotion) {
    auto text = field(promotion, "message");
    if (text.empty()) text = field(promotion, "reason");
    if (const auto retry = field(promotion, "retryAt"); !retry.empty())
        text += fmt::format(" (again at {})", retry);
    return text;
}

std::string pull_request_url(const json& promotion) {
    const auto found = promotion.find("pullRequest");
    return found != promotion.end() && found->is_object() ? field(*found, "url") : std::string{};
}

} // namespace

std::string promotions_table(const json& list, bool filtered) {
    const auto& items = list.at("items");
    if (items.empty() && filtered) return "No promotion matches. Without filters all are shown.\n";
    if (items.empty()) {
        return "No promotions yet. One appears when an environment with a next one reports a "
               "healthy revision;\n"
               "the server's log tells what became of each event, `sluice lint` finds mistakes in "
               "pipelines.\n";
    }
    std::vector<row> rows{{"PROMOTION", "STATE", "UPDATED", "PULL REQUEST", "WHY"}};
    bool any_pull_request = false;
    for (const auto& p : items) {
        rows.push_back(
            {field(p, "id"), field(p, "state"), field(p, "updatedAt"), pull_request_url(p), why(p)}
        );
        any_pull_request = any_pull_request || !rows.back()[3].empty();
    }
    if (!any_pull_request) {
        for (auto& r : rows) r.erase(r.begin() + 3);
    }
    return aligned(rows);
}

std::string promotion_page(const json& details) {
    std::vector<row> facts;
    const auto add = [&](std::string label, std::string value) {
        if (!value.empty()) facts.push_back({std::move(label), std::move(value)});
    };
    add("Promotion", field(details, "id"));
    add("State", field(details, "state"));
    add("Why", why(details));
    add("From", field(details, "from"));
    add("Into", field(details, "environment"));
    add("Revision", field(details, "revision"));
    const auto known = details.value("facts", json::object());
    for (const auto& fact : known.items()) {
        const auto& name = fact.key();
        if (name != "revision") add(printable(name), field(known, name.c_str()));
    }
    add("Pull request", pull_request_url(details));
    const auto work = details.value("work", json::object());
    add("Repository", field(work, "repository"));
    add("Base branch", field(work, "baseBranch"));
    add("Branch", field(work, "branch"));
    add("Commit", field(work, "commit"));
    add("Replaces", field(work, "replaced"));
    add("First evidence", field(details, "firstEvidence"));
    add("Created", field(details, "createdAt"));
    add("Updated", field(details, "updatedAt"));
    std::string out = aligned(facts);

    std::vector<row> history{{"AT", "STATE", "BY", "WHY"}};
    const auto past = details.value("history", json::array());
    for (const auto& e : past) {
        history.push_back({field(e, "at"), field(e, "state"), field(e, "actor"), why(e)});
    }
    if (history.size() > 1) out += '\n' + aligned(history);
    return out;
}

} // namespace sluice::cli
