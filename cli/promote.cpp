#include "cli/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/control.hpp"
#include "cli/outcome_text.hpp"

#include <memory>

namespace sluice::cli {
namespace {

using json = nlohmann::ordered_json;

// A preview may have to fetch the repository for the first time.
constexpr std::chrono::milliseconds preview_patience{600'000};

struct promote_options {
    std::string pipeline;
    std::string environment;
    std::string revision;
    std::string image;
    std::string tag;
    std::string digest;
    std::string app_version;
    std::string reason;
    std::string state;
    std::string output;
    bool dry_run = false;
};

json body_of(const promote_options& o) {
    const auto slash = o.pipeline.find('/');
    json body{
        {"namespace", o.pipeline.substr(0, slash)},
        {"pipeline", o.pipeline.substr(slash + 1)},
        {"environment", o.environment},
        {"revision", o.revision},
    };
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) body[name] = value;
    };
    add("image", o.image);
    add("tag", o.tag);
    add("digest", o.digest);
    add("appVersion", o.app_version);
    add("reason", o.reason);
    if (o.dry_run) body["dryRun"] = true;
    return body;
}

int promote(const promote_options& o, console& c) {
    const auto patience = o.dry_run ? preview_patience : control_patience;
    const auto answer = tell_server(o.state, "/api/v1/promotions", body_of(o), patience);
    if (!answer || !o.dry_run || o.output == "json")
        return print_outcome(answer, "promote", o.output == "json", c);
    c.out << preview_text(*answer);
    return done;
}

} // namespace

void add_promote(CLI::App& app, command& chosen) {
    auto* sub = app.add_subcommand(
        "promote", "Carry a revision into an environment, or show what that would do"
    );
    const auto o = std::make_shared<promote_options>();
    sub->add_option("PIPELINE", o->pipeline, "NAMESPACE/PIPELINE")
        ->required()
        ->check(known_pipeline_name);
    sub->add_option("ENVIRONMENT", o->environment, "where it goes")->required();
    sub->add_option("REVISION", o->revision, "what is carried there")->required();
    sub->add_flag("--dry-run", o->dry_run, "print the diff and the pull request, change nothing");
    sub->add_option("--image", o->image, "for markers that write the image");
    sub->add_option("--tag", o->tag, "for markers that write the tag");
    sub->add_option("--digest", o->digest, "for markers that write the digest");
    sub->add_option("--app-version", o->app_version, "for markers that write the app version");
    sub->add_option("--reason", o->reason, "why, for the history");
    add_state_option(*sub, o->state);
    add_output_option(*sub, o->output, "text");
    sub->callback([o, &chosen] { chosen = [o](console& c) { return promote(*o, c); }; });
}

} // namespace sluice::cli
