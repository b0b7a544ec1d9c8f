#include "lint/lint.hpp"

#include "cli/commands.hpp"
#include "cli/common_options.hpp"
#include "config/room_options.hpp"

#include <memory>

namespace sluice::cli {
namespace {

struct lint_options {
    std::vector<std::string> paths;
    std::string secrets;
    std::string repository;
    std::string output;
};

int lint(const lint_options& o, console& c) {
    lint::options what;
    what.paths.assign(o.paths.begin(), o.paths.end());
    if (!o.secrets.empty()) what.secrets = o.secrets;
    what.repository = o.repository;
    what.http = config::http_options(config::process_variable);
    const auto report = lint::run(what);
    if (o.output == "json") {
        c.out << lint::to_json(report) << '\n';
    } else if (report.findings.empty()) {
        c.out << "No mistakes found.\n";
    } else {
        c.out << lint::to_text(report);
    }
    return report.has_errors() ? failed : done;
}

} // namespace

void add_lint(CLI::App& app, command& chosen) {
    auto* sub = app.add_subcommand(
        "lint", "Tell every mistake in pipelines, Providers, markers and secrets"
    );
    const auto o = std::make_shared<lint_options>();
    sub->add_option("PATH", o->paths, "files and folders of manifests")->required();
    sub->add_option("--secrets", o->secrets, "folder of secrets, as serve gets it");
    sub->add_option(
        "--repository", o->repository, "URL or folder of the repository whose markers are checked"
    );
    add_output_option(*sub, o->output, "text");
    sub->callback([o, &chosen] { chosen = [o](console& c) { return lint(*o, c); }; });
}

} // namespace sluice::cli
