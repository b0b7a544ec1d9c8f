#pragma once

#include "base/result.hpp"
#include "config/setting.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

// The three places a value can come from; each tells what it holds as texts, and where exactly.
namespace sluice::config {

struct assignment {
    const setting* what = nullptr;
    std::vector<std::string> written;
    std::string origin; // "sluice.yaml:4:9", "environment SLUICE_LIMIT_BODY", "flag --limit-body"
};

struct reading {
    std::vector<assignment> assignments;
    std::vector<std::string> problems;  // refused
    std::vector<const setting*> unread; // what they are set to is not known
    std::vector<std::string> warnings;  // told, and gone on
};

// Of a source that cannot be read at all.
[[nodiscard]] reading unreadable(std::string problem);

// `name` is what the places are called in messages.
[[nodiscard]] reading read_yaml(std::string_view text, std::string_view name);

using environment_map = std::map<std::string, std::string, std::less<>>;
// All that starts with SLUICE_.
[[nodiscard]] environment_map process_environment();
[[nodiscard]] reading read_environment(const environment_map& variables);

// By flag, each as often as it was given.
using flag_map = std::map<std::string, std::vector<std::string>, std::less<>>;
[[nodiscard]] reading read_flags(const flag_map& flags);

} // namespace sluice::config
