#include "promotion/strategies/tip.hpp"

#include <array>

namespace sluice::promotion {

result<tip_owner> owner_of(git::repository& in, const tip_facts& facts) {
    if (facts.tip.empty()) return tip_owner::nobody;
    if (facts.recorded.contains(facts.tip)) return tip_owner::ours;
    const auto contained = in.contains(facts.base, facts.tip);
    if (!contained) return contained.error();
    if (*contained) return tip_owner::ours;
    // A team that comes from Weave has its branches still open.
    const std::array authors{facts.author, git::author{"Promotion Server", ""}};
    const auto only_us = in.only_by(facts.tip, facts.base, authors);
    if (!only_us) return only_us.error();
    return *only_us ? tip_owner::ours : tip_owner::other;
}

} // namespace sluice::promotion
