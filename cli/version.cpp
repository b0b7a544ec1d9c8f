#include "cli/version.hpp"

#include "cli/commands.hpp"

namespace sluice::cli {

std::string_view version() noexcept {
    return SLUICE_VERSION;
}

void add_version(CLI::App& app, command& chosen) {
    auto* sub = app.add_subcommand("version", "Print the version");
    const command print = [](console& c) {
        c.out << "sluice " << version() << '\n';
        return done;
    };
    sub->callback([print, &chosen] { chosen = print; });
}

} // namespace sluice::cli
