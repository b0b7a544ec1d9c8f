#pragma once

#include "pipeline/pipeline.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::home {

// How a part of the home is doing, as /readyz tells it.
struct part_health {
    std::string part;
    bool ok = true;
    std::string message; // why not, and what to do
    bool serving = true; // false: it is so unwell that no traffic should be sent here
};

class pipelines {
public:
    virtual ~pipelines() = default;

    // False while the source has never been read or is unwell: then known and unknown alike get 503.
    [[nodiscard]] virtual bool available() const = 0;
    // Null when there is none of that name. Called for every request from any thread.
    [[nodiscard]] virtual pipeline::definition_ptr
    find(std::string_view ns, std::string_view name) const = 0;
    [[nodiscard]] virtual std::vector<pipeline::definition_ptr> all() const = 0;
    [[nodiscard]] virtual part_health health() const = 0;
};

} // namespace sluice::home
