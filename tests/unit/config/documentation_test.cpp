#include "config/settings.hpp"
#include "config/value.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace sluice::config;

namespace {

std::string documentation() {
    std::ifstream in{sluice::tests::source_tree() / "docs/configuration.md"};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::string row_of(const setting& s) {
    const auto preset = written_form(s, settings{});
    std::string kind = kind_of(s);
    for (auto at = kind.find('|'); at != std::string::npos; at = kind.find('|', at + 5))
        kind.replace(at, 1, " or ");
    return fmt::format(
        "| `{}` | `{}` | `{}` | {} | {} | {} |\n",
        s.path,
        s.flag,
        s.environment(),
        kind,
        preset.empty() ? "" : fmt::format("`{}`", fmt::join(preset, "`, `")),
        s.help
    );
}

} // namespace

TEST_CASE("docs/configuration.md tells every setting with its names, its default and its meaning") {
    const auto text = documentation();
    REQUIRE_FALSE(text.empty());
    for (const auto& s : all_settings()) {
        const auto row = row_of(s);
        INFO("missing or outdated, the row should be:\n" << row);
        CHECK(text.find(row) != std::string::npos);
    }
}

TEST_CASE("docs/configuration.md tells no setting that does not exist") {
    const auto text = documentation();
    std::size_t told = 0;
    for (std::size_t at = text.find("\n| `"); at != std::string::npos;
         at = text.find("\n| `", at + 1))
        ++told;
    CHECK(told == all_settings().size());
}
