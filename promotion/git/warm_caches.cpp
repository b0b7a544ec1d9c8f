#include "promotion/git/warm_caches.hpp"

#include "promotion/git/repository.hpp"

#include <algorithm>

namespace sluice::promotion::git {
namespace {

constexpr std::size_t most = 8; // an index of 20,000 manifests takes about 4 MiB

} // namespace

std::optional<warm_cache> warm_caches::take(const std::string& key) {
    std::list<kept> taken;
    {
        const std::lock_guard lock{mutex_};
        const auto found = std::ranges::find(kept_, key, &kept::key);
        if (found == kept_.end()) return std::nullopt;
        taken.splice(taken.begin(), kept_, found);
    }
    if (!taken.front().what.cache->still_there()) return std::nullopt;
    return std::move(taken.front().what);
}

void warm_caches::put(const std::string& key, warm_cache c) {
    std::list<kept> gone; // closed when the lock is free again
    const std::lock_guard lock{mutex_};
    kept_.push_front({key, std::move(c)});
    if (kept_.size() > most) gone.splice(gone.begin(), kept_, std::prev(kept_.end()));
}

std::shared_ptr<warm_caches> make_warm_caches() {
    return std::make_shared<warm_caches>();
}

} // namespace sluice::promotion::git
