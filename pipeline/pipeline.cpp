#include "pipeline/pipeline.hpp"

#include <algorithm>

namespace sluice::pipeline {

std::string target_key(const target& t) {
    return t.cluster ? t.cluster->text() + ":" + t.ns : ":" + t.ns;
}

std::string describe(const target& t) {
    return t.cluster ? t.ns + " on " + t.cluster->text() : t.ns;
}

const environment* definition::find(std::string_view wanted) const {
    const auto found = std::ranges::find(environments, wanted, &environment::name);
    return found == environments.end() ? nullptr : &*found;
}

const environment* definition::next_after(std::string_view wanted) const {
    const auto* here = find(wanted);
    if (here == nullptr || here == &environments.back()) return nullptr;
    return here + 1;
}

const environment* definition::previous_to(std::string_view wanted) const {
    const auto* here = find(wanted);
    if (here == nullptr || here == &environments.front()) return nullptr;
    return here - 1;
}

const promotion_policy* definition::policy_into(const environment& e) const {
    if (e.promotion) return &*e.promotion;
    return promotion ? &*promotion : nullptr;
}

std::optional<std::string> definition::event_secret(const environment& e) const {
    if (e.secret) return e.secret;
    if (promotion && promotion->strategy.secret) return promotion->strategy.secret;
    const auto* next = next_after(e.name);
    if (next != nullptr && next->promotion) return next->promotion->strategy.secret;
    return std::nullopt;
}

std::optional<std::string> definition::approval_secret(const environment& e) const {
    if (e.secret) return e.secret;
    if (e.promotion && e.promotion->strategy.secret) return e.promotion->strategy.secret;
    if (promotion) return promotion->strategy.secret;
    return std::nullopt;
}

} // namespace sluice::pipeline
