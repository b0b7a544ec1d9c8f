#pragma once

#include "promotion/git/cache.hpp"
#include "promotion/git/marker_index.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace sluice::promotion::git {

// A cache as a repository leaves it, ready for the next one.
struct warm_cache {
    std::unique_ptr<git::cache> cache;
    std::optional<marker_index> index;
};

// The caches used last stay open, so that the next promotion need not read index and packs again. From any thread.
class warm_caches {
public:
    // Nothing when there is none, or when its folder was removed meanwhile.
    [[nodiscard]] std::optional<warm_cache> take(const std::string& key);
    void put(const std::string& key, warm_cache c);

private:
    struct kept {
        std::string key;
        warm_cache what;
    };
    std::mutex mutex_;
    std::list<kept> kept_; // the one used last is the first
};

} // namespace sluice::promotion::git
