#pragma once

#include "pipeline/promotion.hpp"

#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
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
        by_id taken;
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
    struct id_hash {
        std::size_t operator()(const pipeline::promotion_id& id) const noexcept {
            const std::hash<std::string> of;
            return of(id.revision) ^ (of(id.pipeline.name) * 31) ^ (of(id.environment) * 131);
        }
    };
    using by_id = std::
        unordered_map<pipeline::promotion_id, bool, id_hash>; // true: opened since the last look

    void add(touch t) {
        const auto [at, first] = opened_.try_emplace(std::move(t.id), t.opened);
        // It came and went between two looks: nobody needs to hear of it, however many do so.
        if (!first && at->second && t.ended) opened_.erase(at);
    }

    std::mutex mutex_;
    bool wanted_ = false;
    by_id opened_;
};

} // namespace sluice::embedded
