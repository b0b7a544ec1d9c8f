#pragma once

#include "base/clock.hpp"
#include "home/ledger.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace sluice::embedded {

// Half of the SHA-256 tells events apart: a chance meeting needs 2^64 of them, and whoever can search for a collision
// already holds the key and only spoils their own event.
struct digest_key {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint64_t pipeline = 0;

    digest_key(const pipeline::object_name& pipeline, const home::event_digest& digest);
    friend bool operator==(const digest_key&, const digest_key&) = default;
};

struct digest_key_hash {
    using is_avalanching = void; // the digest is already uniform
    std::size_t operator()(const digest_key& k) const noexcept { return k.high ^ k.pipeline; }
};

// The answers given to events that could come again. The writer adds, every request asks: sharded, each lock held for a look-up.
// Bounded by time and by count; the oldest go first. Beyond the count a repeat is no longer recognised by its bytes: decide()
// then finds its slot as new as the event and changes nothing.
class digest_cache {
public:
    struct place {
        pipeline::object_name pipeline;
        std::string environment;
    };
    using place_ptr = std::shared_ptr<const place>; // one per environment, shared by its entries

    digest_cache(std::size_t limit, std::chrono::milliseconds freshness);

    [[nodiscard]] std::optional<home::recollection>
    find(const pipeline::object_name& pipeline, const home::event_digest& digest) const;

    struct item {
        place_ptr where;
        home::event_digest digest{};
        time_point signed_at;
        home::acceptance answer;
    };
    void add(item i, time_point now);
    // At start, newest first: what came before everything added so far. False when it did not fit.
    [[nodiscard]] bool add_older(item i);

    [[nodiscard]] std::size_t size() const;

private:
    struct entry {
        place_ptr where;
        time_point signed_at;
        home::acceptance answer;
    };
    struct shard {
        mutable std::mutex mutex;
        boost::unordered_flat_map<digest_key, std::unique_ptr<entry>, digest_key_hash> entries;
        std::deque<digest_key> by_age; // oldest first
    };
    static constexpr std::size_t shards = 64;

    [[nodiscard]] shard& shard_of(const digest_key& k) { return shards_[k.low % shards]; }
    [[nodiscard]] const shard& shard_of(const digest_key& k) const {
        return shards_[k.low % shards];
    }
    void make_room(shard& s, time_point now) const;

    std::size_t limit_per_shard_;
    std::chrono::milliseconds freshness_;
    std::array<shard, shards> shards_;
};

} // namespace sluice::embedded
