#include "pipeline/denial.hpp"

#include "pipeline/version.hpp"

#include <algorithm>

namespace sluice::pipeline {

const denial* find_denial(const definition& pipeline, const revision_facts& facts) {
    if (pipeline.deny.empty()) return nullptr;
    const auto written = written_form(facts);
    const auto names_it = [&](const denial& entry) {
        revision_facts named;
        named.revision = entry.revision;
        return entry.revision == facts.revision || written_form(named) == written;
    };
    const auto found = std::ranges::find_if(pipeline.deny, names_it);
    return found == pipeline.deny.end() ? nullptr : &*found;
}

} // namespace sluice::pipeline
