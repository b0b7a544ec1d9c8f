#include "cli/command_line.hpp"

#include "cli/commands.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <exception>

namespace sluice::cli {

int run(std::vector<std::string> arguments, console& c) {
    CLI::App app{
        "Sluice carries a version that is proven in one environment to the next one.", "sluice"
    };
    app.require_subcommand(1);
    app.set_help_all_flag("--help-all", "Show the help of all commands");
    command chosen;
    add_serve(app, chosen);
    add_lint(app, chosen);
    add_sign(app, chosen);
    add_promotions(app, chosen);
    add_acts(app, chosen);
    add_promote(app, chosen);
    add_demo(app, chosen);
    add_version(app, chosen);
    try {
        std::reverse(arguments.begin(), arguments.end()); // as CLI11 takes them
        app.parse(std::move(arguments));
        return chosen(c);
    } catch (const CLI::ParseError& e) {
        return app.exit(e, c.out, c.err) == 0 ? done : wrong_usage;
    } catch (const std::exception& e) {
        c.err << "sluice: " << e.what() << '\n';
        return failed;
    }
}

} // namespace sluice::cli
