#pragma once

#include "lint/lint.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::tests {

// The findings about some files; names without "/" are manifests, "secrets/…" are those of a secrets folder.
struct linted {
    temp_folder folder;
    lint::report report;

    explicit linted(const std::vector<std::pair<std::string, std::string>>& files) {
        lint::options o;
        for (const auto& [name, text] : files) {
            folder.write(name, text);
            if (name.starts_with("secrets/")) {
                std::filesystem::permissions(folder / name, std::filesystem::perms{0600});
                o.secrets = folder / "secrets";
            } else {
                o.paths.push_back(folder / name);
            }
        }
        report = lint::run(o);
    }
    [[nodiscard]] std::string text() const { return lint::to_text(report); }
    [[nodiscard]] bool has(std::string_view part) const {
        UNSCOPED_INFO(text());
        return text().find(part) != std::string::npos;
    }
};

} // namespace sluice::tests
