#pragma once

#include "base/secret_string.hpp"
#include "lint/lint.hpp"
#include "pipeline/pipeline.hpp"
#include "yaml/document.hpp"

#include <nlohmann/json.hpp>

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// All that lint was given, read once; the checks only look at it.
namespace sluice::lint {

struct manifest_file {
    std::string name;
    std::string text;
    std::vector<yaml::document> documents;
};

// One Kubernetes object of a file.
struct object {
    const manifest_file* file;
    const yaml::document* document;
    std::string pointer;
    const nlohmann::json* value;

    // The string at a path of field names; empty when it is not there or no string.
    [[nodiscard]] std::string text(std::initializer_list<std::string_view> path) const;
    [[nodiscard]] const nlohmann::json* find(std::initializer_list<std::string_view> path) const;
    [[nodiscard]] pipeline::object_name name() const; // the namespace may be empty
    [[nodiscard]] std::string place(std::string_view pointer_below = "") const;
};

struct known_pipeline {
    pipeline::definition definition;
    object from;
};

struct known_secret {
    pipeline::object_name name; // the namespace is empty when the manifest names none
    std::map<std::string, secret_string, std::less<>> data;
    const object* manifest = nullptr; // null: from the secrets folder
    std::string folder;
};

class findings {
public:
    void error(const object& o, std::string_view below, std::string message, std::string remedy);
    void warning(const object& o, std::string_view below, std::string message, std::string remedy);
    void add(finding f) { all_.push_back(std::move(f)); }
    // Sorted, each once.
    [[nodiscard]] std::vector<finding> take();

private:
    std::vector<finding> all_;
};

struct workspace {
    std::deque<manifest_file> files;
    std::deque<object> objects;
    std::vector<known_pipeline> pipelines;
    std::vector<known_secret> secrets;
    bool has_secrets_folder = false;

    [[nodiscard]] const known_pipeline*
    find_pipeline(std::string_view ns, std::string_view name) const;
    // A manifest without a namespace fits every namespace.
    [[nodiscard]] const known_secret* find_secret(std::string_view ns, std::string_view name) const;
};

// Reads everything and tells what cannot be read, and the mistakes of the schema.
[[nodiscard]] workspace read_workspace(const options& o, findings& out);

// One file each.
void check_pipelines(const workspace& w, findings& out);
void check_flux(const workspace& w, findings& out);
void check_secrets(const workspace& w, findings& out);
void check_markers(const workspace& w, findings& out);
void check_repository(const workspace& w, const options& o, findings& out);

} // namespace sluice::lint
