#include "embedded/ledger_codes.hpp"

namespace sluice::embedded {

using pipeline::evidence_source;
using pipeline::promotion_kind;
using pipeline::verdict;
using pipeline::verdict_on_event;

int to_code(verdict v) noexcept {
    switch (v) {
    case verdict::none: return 0;
    case verdict::healthy: return 1;
    case verdict::failed: return 2;
    case verdict::rolled_back: return 3;
    case verdict::uninstalled: return 4;
    }
    return 0;
}

verdict verdict_of(std::int64_t code) noexcept {
    switch (code) {
    case 1: return verdict::healthy;
    case 2: return verdict::failed;
    case 3: return verdict::rolled_back;
    case 4: return verdict::uninstalled;
    default: return verdict::none;
    }
}

int to_code(evidence_source s) noexcept {
    switch (s) {
    case evidence_source::flux: return 0;
    case evidence_source::trigger: return 1;
    }
    return 0;
}

int to_code(verdict_on_event v) noexcept {
    switch (v) {
    case verdict_on_event::ignore: return 0;
    case verdict_on_event::promote: return 1;
    case verdict_on_event::await_approval: return 2;
    case verdict_on_event::record: return 3;
    case verdict_on_event::duplicate: return 4;
    }
    return 0;
}

verdict_on_event decision_of(std::int64_t code) noexcept {
    switch (code) {
    case 1: return verdict_on_event::promote;
    case 2: return verdict_on_event::await_approval;
    case 3: return verdict_on_event::record;
    case 4: return verdict_on_event::duplicate;
    default: return verdict_on_event::ignore;
    }
}

int to_code(promotion_kind k) noexcept {
    switch (k) {
    case promotion_kind::promotion: return 0;
    case promotion_kind::rollback: return 1;
    }
    return 0;
}

promotion_kind kind_of(std::int64_t code) noexcept {
    return code == 1 ? promotion_kind::rollback : promotion_kind::promotion;
}

} // namespace sluice::embedded
