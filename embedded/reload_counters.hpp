#pragma once

#include "observe/metrics.hpp"

#include <string>

namespace sluice::embedded {

// sluice_config_reloads_total of one source, both outcomes there from the start.
struct reload_counters {
    observe::counter& ok;
    observe::counter& failed;

    reload_counters(observe::registry& metrics, const std::string& source)
        : ok(series(metrics, source, "ok")), failed(series(metrics, source, "failed")) {}

private:
    static observe::counter&
    series(observe::registry& metrics, const std::string& source, const char* outcome) {
        return metrics.counter(
            "sluice_config_reloads_total",
            "Configuration that changed and was read again, by source and outcome.",
            {{"source", source}, {"outcome", outcome}}
        );
    }
};

} // namespace sluice::embedded
