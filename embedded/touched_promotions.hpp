#pragma once

#include "pipeline/promotion.hpp"

#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace sluice::embedded {

// The writer names here what it opened or moved, and the reader looks only at those to know what is alive: an index in the
// file would cost every event a fifth of its price. Nothing is collected before somebody asked. From any thread.
class touched_promotions {
public:
    // From now on everything committed is named.
    void begin() {
        const std::lock_guard lock{mutex_};
        wanted_ = true;
    }
    void add(std::vector<pipeline::promotion_id> ids) {
        const std::lock_guard lock{mutex_};
        if (!wanted_) return;
        ids_.insert(ids_.end(), std::move_iterator{ids.begin()}, std::move_iterator{ids.end()});
    }
    [[nodiscard]] std::vector<pipeline::promotion_id> take() {
        const std::lock_guard lock{mutex_};
        return std::exchange(ids_, {});
    }

private:
    std::mutex mutex_;
    bool wanted_ = false;
    std::vector<pipeline::promotion_id> ids_;
};

} // namespace sluice::embedded
