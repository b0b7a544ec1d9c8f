#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace sluice::embedded {

// What a transaction did to one promotion, by its place in the ledger.
struct touch {
    std::int64_t seq = 0;
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
    void add(const std::vector<touch>& all) {
        const std::lock_guard lock{mutex_};
        if (!wanted_) return;
        for (const auto& each : all) add(each);
    }
    [[nodiscard]] std::vector<std::int64_t> take() {
        by_seq taken;
        {
            const std::lock_guard lock{mutex_};
            taken.swap(opened_);
        }
        std::vector<std::int64_t> places;
        places.reserve(taken.size());
        for (const auto& [seq, opened] : taken) places.push_back(seq);
        return places;
    }

private:
    using by_seq = std::unordered_map<std::int64_t, bool>; // true: opened since the last look

    void add(const touch& t) {
        const auto [at, first] = opened_.try_emplace(t.seq, t.opened);
        // It came and went between two looks: nobody needs to hear of it, however many do so.
        if (!first && at->second && t.ended) opened_.erase(at);
    }

    std::mutex mutex_;
    bool wanted_ = false;
    by_seq opened_;
};

} // namespace sluice::embedded
