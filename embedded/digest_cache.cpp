#include "embedded/digest_cache.hpp"

#include <algorithm>
#include <cstring>

namespace sluice::embedded {

digest_key::digest_key(const pipeline::object_name& name, const home::event_digest& digest) {
    std::memcpy(&high, digest.data(), sizeof high);
    std::memcpy(&low, digest.data() + sizeof high, sizeof low);
    const std::hash<std::string_view> hash;
    pipeline = hash(name.ns) * 31 + hash(name.name);
}

digest_cache::digest_cache(std::size_t limit, std::chrono::milliseconds freshness)
    : limit_per_shard_(std::max<std::size_t>(1, limit / shards)), freshness_(freshness) {}

std::optional<home::recollection>
digest_cache::find(const pipeline::object_name& pipeline, const home::event_digest& digest) const {
    const digest_key key{pipeline, digest};
    const auto& s = shard_of(key);
    const std::lock_guard lock{s.mutex};
    const auto found = s.entries.find(key);
    if (found == s.entries.end() || found->second->where->pipeline != pipeline) return std::nullopt;
    const auto& e = *found->second;
    return home::recollection{e.where->environment, e.signed_at, e.answer};
}

void digest_cache::add(item i, time_point now) {
    const digest_key key{i.where->pipeline, i.digest};
    auto made = std::make_unique<entry>(std::move(i.where), i.signed_at, std::move(i.answer));
    auto& s = shard_of(key);
    const std::lock_guard lock{s.mutex};
    make_room(s, now);
    if (s.entries.emplace(key, std::move(made)).second) s.by_age.push_back(key);
}

bool digest_cache::add_older(item i) {
    const digest_key key{i.where->pipeline, i.digest};
    auto made = std::make_unique<entry>(std::move(i.where), i.signed_at, std::move(i.answer));
    auto& s = shard_of(key);
    const std::lock_guard lock{s.mutex};
    if (s.by_age.size() >= limit_per_shard_) return false;
    if (s.entries.emplace(key, std::move(made)).second) s.by_age.push_front(key);
    return true;
}

void digest_cache::make_room(shard& s, time_point now) const {
    while (!s.by_age.empty()) {
        const auto oldest = s.entries.find(s.by_age.front());
        const bool expired = oldest->second->signed_at + freshness_ < now;
        if (!expired && s.by_age.size() < limit_per_shard_) return;
        s.entries.erase(oldest);
        s.by_age.pop_front();
    }
}

std::size_t digest_cache::size() const {
    std::size_t all = 0;
    for (const auto& s : shards_) {
        const std::lock_guard lock{s.mutex};
        all += s.by_age.size();
    }
    return all;
}

} // namespace sluice::embedded
