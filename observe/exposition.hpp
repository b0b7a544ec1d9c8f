#pragma once

#include "observe/metrics.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// Prometheus' text format, version 0.0.4.
namespace sluice::observe {

// Names are ours, so a wrong one is a bug: throws std::logic_error.
void require_valid_names(std::string_view metric, const labels& l);

class exposition {
public:
    void family(std::string_view name, std::string_view help, std::string_view type);
    void sample(std::string_view name, const labels& l, std::uint64_t value);
    void sample(std::string_view name, const labels& l, double value);
    void histogram(
        std::string_view name,
        const labels& l,
        const std::vector<double>& bounds,
        const histogram::snapshot& read
    );

    [[nodiscard]] std::string text() && { return std::move(text_); }

private:
    void series(
        std::string_view name, std::string_view suffix, const labels& l, std::string_view le = {}
    );

    std::string text_;
};

} // namespace sluice::observe
