#pragma once

#include "yaml/document.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The tree of one stream before scalars get their types: aliases point at the node they name, so nothing is copied yet.
namespace sluice::yaml {

struct node {
    enum class kind { scalar, sequence, mapping };

    kind what = kind::scalar;
    std::string tag; // empty: to be resolved
    std::string text;
    bool plain = false; // written without quotes
    position at;
    std::vector<const node*> items;
    std::vector<std::pair<const node*, const node*>> members;
};

struct tree {
    std::deque<node> nodes; // addresses stay
    std::vector<const node*> documents;
};

// The error message starts with "line:column: ".
[[nodiscard]] result<tree> compose(std::string_view text);

[[nodiscard]] error error_at(position at, std::string_view what);

} // namespace sluice::yaml
