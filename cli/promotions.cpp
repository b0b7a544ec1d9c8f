#include "cli/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/promotion_source.hpp"
#include "cli/promotion_table.hpp"

#include <CLI/Validators.hpp>

#include <memory>

namespace sluice::cli {
namespace {

struct promotions_options {
    std::string state;
    std::string output;
    std::string id;
    home::promotion_filter filter;

    [[nodiscard]] bool filtered() const {
        return !(filter.ns + filter.pipeline + filter.environment + filter.state).empty();
    }
};
using options_ptr = std::shared_ptr<promotions_options>;

using json = nlohmann::ordered_json;

int print(
    const result<json>& found, const promotions_options& o, console& c, const auto& for_people
) {
    if (!found) {
        c.err << "sluice promotions: " << found.error().message << '\n';
        return failed;
    }
    if (o.output == "json") {
        c.out << found->dump(2, ' ', false, json::error_handler_t::replace) << '\n';
    } else {
        c.out << for_people(*found);
    }
    return done;
}

int list(const promotions_options& o, console& c) {
    const auto table = [&](const json& found) { return promotions_table(found, o.filtered()); };
    return print(list_promotions(o.state, o.filter), o, c, table);
}

int show(const promotions_options& o, console& c) {
    return print(show_promotion(o.state, o.id), o, c, promotion_page);
}

std::string known_state(const std::string& text) {
    if (pipeline::parse_promotion_state(text)) return {};
    return "\"" + text + "\" is no state; write it as the list does, such as AwaitingApproval";
}

void add_common(CLI::App& sub, const options_ptr& o) {
    add_state_option(sub, o->state);
    add_output_option(sub, o->output, "table");
}

} // namespace

void add_promotions(CLI::App& app, command& chosen) {
    auto* sub = app.add_subcommand("promotions", "What was accepted, and what became of it");
    sub->require_subcommand(1);
    const auto o = std::make_shared<promotions_options>();

    auto* list_sub = sub->add_subcommand("list", "All promotions, newest first");
    add_common(*list_sub, o);
    list_sub->add_option("--namespace", o->filter.ns, "only pipelines of this namespace");
    list_sub->add_option("--pipeline", o->filter.pipeline, "only this pipeline");
    list_sub->add_option(
        "--environment", o->filter.environment, "only those that go into this environment"
    );
    list_sub->add_option("--state-is", o->filter.state, "only those in this state")
        ->check(known_state);
    list_sub->add_option("--limit", o->filter.limit, "at most so many")
        ->check(CLI::Range(1, 5'000))
        ->capture_default_str();
    list_sub->callback([o, &chosen] { chosen = [o](console& c) { return list(*o, c); }; });

    auto* show_sub = sub->add_subcommand("show", "One promotion with its history");
    add_common(*show_sub, o);
    show_sub->add_option("ID", o->id, "NAMESPACE/PIPELINE/ENVIRONMENT@REVISION")
        ->required()
        ->check(known_promotion_id);
    show_sub->callback([o, &chosen] { chosen = [o](console& c) { return show(*o, c); }; });
}

} // namespace sluice::cli
