#include "cli/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/control.hpp"
#include "cli/outcome_text.hpp"

#include <memory>

namespace sluice::cli {
namespace {

using json = nlohmann::ordered_json;

struct act_options {
    std::string verb;
    std::string id;
    std::string reason;
    std::string state;
    std::string output;
};

int act(const act_options& o, console& c) {
    auto body = json::object();
    if (!o.reason.empty()) body["reason"] = o.reason;
    const auto answer = tell_server(o.state, promotion_target(o.id) + "/" + o.verb, body);
    return print_outcome(answer, o.verb, o.output == "json", c);
}

CLI::App*
add_act(CLI::App& app, command& chosen, const char* verb, const char* help, bool wants_reason) {
    auto* sub = app.add_subcommand(verb, help);
    const auto o = std::make_shared<act_options>();
    o->verb = verb;
    sub->add_option("ID", o->id, "NAMESPACE/PIPELINE/ENVIRONMENT@REVISION")
        ->required()
        ->check(known_promotion_id);
    sub->add_option("--reason", o->reason, "why, for the history")->required(wants_reason);
    add_state_option(*sub, o->state);
    add_output_option(*sub, o->output, "text");
    sub->callback([o, &chosen] { chosen = [o](console& c) { return act(*o, c); }; });
    return sub;
}

} // namespace

void add_acts(CLI::App& app, command& chosen) {
    add_act(app, chosen, "approve", "Let a promotion that waits for approval go on", false);
    add_act(app, chosen, "reject", "End a promotion that waits for approval", true);
    add_act(app, chosen, "retry", "Try a failed, held or ended promotion again", false);
    add_act(app, chosen, "cancel", "End a promotion and close what it opened", false);
}

} // namespace sluice::cli
