#pragma once

#include "cli/console.hpp"

#include <CLI/App.hpp>

#include <functional>

// Each adds its subcommand; when the command line asks for it, what to do is put into `chosen`.
namespace sluice::cli {

using command = std::function<int(console&)>;

void add_serve(CLI::App& app, command& chosen);
void add_lint(CLI::App& app, command& chosen);
void add_sign(CLI::App& app, command& chosen);
void add_promotions(CLI::App& app, command& chosen);
void add_acts(CLI::App& app, command& chosen); // approve, reject, retry, cancel
void add_promote(CLI::App& app, command& chosen);
void add_demo(CLI::App& app, command& chosen);
void add_version(CLI::App& app, command& chosen);

} // namespace sluice::cli
