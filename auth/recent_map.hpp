#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace sluice::auth {

// A map for many threads that never holds more than `capacity` entries: when full, the entry used longest ago makes
// room. Keys are looked up by View (std::string_view for std::string), so that a lookup does not allocate.
template <class Key, class View = Key, class Value = int, class Hash = std::hash<View>>
class recent_map {
public:
    explicit recent_map(std::size_t capacity, Hash hash = {})
        : hash_(hash), capacity_per_shard_((capacity + shard_count - 1) / shard_count) {
        for (auto& s : shards_) s.by_key = index(0, hash_);
    }

    // Calls f with the value of the key, made afresh if there is none, while no other thread can see it.
    template <class F>
    auto with(const View& key, F&& f) {
        auto& s = shards_[(hash_(key) >> shard_shift) % shard_count];
        const std::lock_guard lock{s.mutex};
        return std::forward<F>(f)(value_of(s, key));
    }

    [[nodiscard]] std::size_t size() const {
        std::size_t total = 0;
        for (auto& s : shards_) {
            const std::lock_guard lock{s.mutex};
            total += s.recent.size();
        }
        return total;
    }

private:
    using entry = std::pair<Key, Value>;
    using entries = std::list<entry>;
    using index = std::unordered_map<View, typename entries::iterator, Hash>;

    struct shard {
        mutable std::mutex mutex;
        entries recent; // the latest first; nodes stay put, so the index may look into them
        index by_key;
    };

    Value& value_of(shard& s, const View& key) {
        if (const auto found = s.by_key.find(key); found != s.by_key.end()) {
            s.recent.splice(s.recent.begin(), s.recent, found->second);
            return found->second->second;
        }
        if (s.recent.size() >= capacity_per_shard_) {
            s.by_key.erase(View{s.recent.back().first});
            s.recent.pop_back();
        }
        s.recent.emplace_front(Key{key}, Value{});
        s.by_key.emplace(View{s.recent.front().first}, s.recent.begin());
        return s.recent.front().second;
    }

    static constexpr std::size_t shard_count = 16;
    // The low bits choose the bucket inside a shard.
    static constexpr unsigned shard_shift = 48;

    Hash hash_;
    std::size_t capacity_per_shard_;
    std::array<shard, shard_count> shards_;
};

} // namespace sluice::auth
