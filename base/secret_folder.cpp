#include "base/secret_folder.hpp"

#include "base/files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {
namespace fs = std::filesystem;

namespace {

// The visible entries of a folder, sorted.
result<std::vector<fs::directory_entry>> entries_of(const fs::path& folder) {
    std::error_code ec;
    std::vector<fs::directory_entry> entries;
    fs::directory_iterator it{folder, ec};
    while (!ec && it != fs::directory_iterator{}) {
        if (!it->path().filename().string().starts_with('.')) entries.push_back(*it);
        it.increment(ec);
    }
    if (ec) {
        const bool missing =
            ec == std::errc::no_such_file_or_directory || ec == std::errc::not_a_directory;
        return error{
            missing ? errc::not_found : errc::unavailable,
            fmt::format("{}: {}", folder.string(), ec.message())
        };
    }
    std::ranges::sort(entries);
    return entries;
}

bool is_folder(const fs::directory_entry& entry) {
    std::error_code ignored; // gone meanwhile: no folder
    return entry.is_directory(ignored);
}

// Kubernetes mounts 0644 by default, on a tmpfs of the pod's own, with each key a link into ..data.
bool is_readable_by_all(const fs::directory_entry& entry) {
    std::error_code ec;
    if (entry.is_symlink(ec)) return false;
    const auto status = entry.status(ec);
    return !ec && (status.permissions() & fs::perms::others_read) != fs::perms::none;
}

} // namespace

result<std::vector<secret_folder>> list_secret_folders(const fs::path& root) {
    std::vector<secret_folder> folders;
    auto namespaces = entries_of(root);
    if (!namespaces) return namespaces.error();
    for (const auto& ns : *namespaces) {
        if (!is_folder(ns)) continue;
        auto names = entries_of(ns.path());
        if (!names && names.error().code == errc::not_found) continue; // removed meanwhile
        if (!names) return names.error();
        for (const auto& name : *names) {
            if (is_folder(name)) {
                folders.push_back(
                    {ns.path().filename().string(), name.path().filename().string(), name.path()}
                );
            }
        }
    }
    return folders;
}

result<secret_content> read_secret_folder(const fs::path& folder) {
    auto keys = entries_of(folder);
    if (!keys) return keys.error();
    secret_content content;
    for (const auto& key : *keys) {
        if (is_folder(key)) continue;
        auto value = read_file(key.path(), max_secret_value);
        if (!value && value.error().code == errc::not_found) continue; // removed meanwhile
        if (!value) return value.error();
        content.data.emplace(key.path().filename().string(), secret_string{std::move(*value)});
        if (is_readable_by_all(key)) content.readable_by_all.push_back(key.path());
    }
    return content;
}

} // namespace sluice
