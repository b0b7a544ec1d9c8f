#include "promotion/forge/etag_cache.hpp"

namespace sluice::promotion::forge {
namespace {

std::size_t size_of(const etag_cache::entry& e) {
    return e.url.size() + e.etag.size() + e.body.size();
}

} // namespace

const etag_cache::entry* etag_cache::find(std::string_view url) {
    const auto found = by_url_.find(url);
    if (found == by_url_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &*found->second;
}

void etag_cache::keep(entry e) {
    drop(e.url);
    const auto size = size_of(e);
    if (size > room_) return;
    while (used_ + size > room_) {
        const auto last = entries_.back().url; // a copy: drop() takes the entry away
        drop(last);
    }
    used_ += size;
    entries_.push_front(std::move(e));
    by_url_.emplace(entries_.front().url, entries_.begin());
}

void etag_cache::drop(std::string_view url) {
    const auto found = by_url_.find(url);
    if (found == by_url_.end()) return;
    const auto position = found->second;
    used_ -= size_of(*position);
    by_url_.erase(found);
    entries_.erase(position);
}

} // namespace sluice::promotion::forge
