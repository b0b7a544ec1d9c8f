#pragma once

#include "pipeline/promotion.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace sluice::embedded {

// What a transaction did to one promotion.
struct touch {
    pipeline::promotion_id id;
    bool opened = false;
    bool ended = false;
};

// The writer names here what it touched, and the reader looks only at those to know what is alive: an index in the file
// would cost every event a fifth of its price. Nothing is collected before somebody asked. From any thread.
class touched_promotions {
public:
    // From now on everything committed is named.
    void begin() {
        const std::lock_guard lock{mutex_};
        wanted_ = true;
    }
    void add(std::vector<touch> all) {
        const std::lock_guard lock{mutex_};
        if (!wanted_) return;
        for (auto& each : all) add(std::move(each));
    }
    [[nodiscard]] std::vector<pipeline::promotion_id> take() {
        std::map<pipeline::promotion_id, bool> taken;
        {
            const std::lock_guard lock{mutex_};
            taken.swap(opened_);
        }
        std::vector<pipeline::promotion_id> ids;
        ids.reserve(taken.size());
        while (!taken.empty()) ids.push_back(std::move(taken.extract(taken.begin()).key()));
        return ids;
    }

private:
    void add(touch t) {
        const auto [at, first] = opened_.try_emplace(std::move(t.id), t.opened);
        // It came and went between two looks: nobody needs to hear of it, however many do so.
        if (!first && at->second && t.ended) opened_.erase(at);
    }

    std::mutex mutex_;
    bool wanted_ = false;
    std::map<pipeline::promotion_id, bool> opened_; // since the last look, or before it
};

} // namespace sluice::embedded
