#pragma once

#include <optional>
#include <string>
#include <string_view>

// What names may look like. Each check returns what is wrong, or nothing.
namespace sluice::pipeline::schema {

// Kubernetes' DNS-1123 subdomain: names of Pipelines, Secrets, clusters, apps.
[[nodiscard]] std::optional<std::string> wrong_object_name(std::string_view name);
// Kubernetes' DNS-1123 label: namespaces.
[[nodiscard]] std::optional<std::string> wrong_namespace(std::string_view name);
// Part of a URL path, of a marker `ns:pipeline:env` and of a git branch name.
[[nodiscard]] std::optional<std::string> wrong_environment_name(std::string_view name);
// git's rules for a branch, without refs/heads/.
[[nodiscard]] std::optional<std::string> wrong_branch(std::string_view name);

struct wrong_url {
    std::string message;
    std::string remedy;
};
// https://, http:// and file://. The messages never repeat the URL: people paste tokens into them.
[[nodiscard]] std::optional<wrong_url> check_repository_url(std::string_view url);
// https:// and http://.
[[nodiscard]] std::optional<wrong_url> check_api_url(std::string_view url);

// A file of a repository, from its root.
[[nodiscard]] std::optional<std::string> wrong_manifest_path(std::string_view path);

} // namespace sluice::pipeline::schema
