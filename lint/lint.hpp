#pragma once

#include "net/http_client.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// The checks behind `sluice lint`: every mistake in pipelines, Flux Providers and Alerts, Secrets and markers, with its place and
// its remedy. No message holds a secret's value.
namespace sluice::lint {

enum class severity { error, warning };

struct finding {
    lint::severity severity = severity::error;
    std::string file;
    int line = 0; // 0: the file or folder as a whole
    int column = 0;
    std::string message;
    std::string remedy;

    friend auto operator<=>(const finding&, const finding&) = default;
};

struct options {
    // Files and folders with YAML manifests. A folder without any that looks like <namespace>/<name>/<key> is taken as `secrets`.
    std::vector<std::filesystem::path> paths;
    std::optional<std::filesystem::path> secrets; // what `serve --secrets` gets
    // A URL or a folder: the repository promotions are written to, whose markers are looked for.
    std::string repository = {};
    net::http_client::options http = {}; // how it is reached
};

struct report {
    std::vector<finding> findings; // by file and line

    [[nodiscard]] bool has_errors() const;
};

[[nodiscard]] report run(const options& o);

// One finding per line: "file:line:column: error: message; remedy".
[[nodiscard]] std::string to_text(const report& r);
// {"findings":[{"severity","file","line","column","message","remedy"}],"errors":N,"warnings":N}
[[nodiscard]] std::string to_json(const report& r);

} // namespace sluice::lint
