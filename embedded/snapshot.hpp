#pragma once

#include "pipeline/pipeline.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

// What every request reads and a reload replaces as a whole.
namespace sluice::embedded {

// libstdc++ 12 implements std::atomic<std::shared_ptr> with one lock that all readers share. Here each thread has a lock of
// its own, in its own cache line, that only a reload ever contends for.
template <class Value>
class snapshot {
public:
    using pointer = std::shared_ptr<const Value>;

    explicit snapshot(pointer first) { replace(std::move(first)); }

    // `read` gets the value of now and must be short: a reload waits for it.
    template <class Read>
    auto with(Read read) const {
        const auto& mine = slots_[my_slot()];
        const std::scoped_lock lock{mine.mutex};
        return read(*mine.value);
    }

    void replace(pointer next) {
        for (auto& each : slots_) {
            pointer old = next; // released after the lock: the last reference may free a lot
            const std::scoped_lock lock{each.mutex};
            each.value.swap(old);
        }
    }

private:
    struct alignas(64) slot {
        mutable std::mutex mutex;
        pointer value;
    };
    static constexpr std::size_t count = 32;

    static std::size_t my_slot() noexcept {
        static std::atomic<std::size_t> next{0};
        thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed) % count;
        return mine;
    }

    std::array<slot, count> slots_;
};

// A namespace and a name, looked up without making strings of them.
struct name_view {
    std::string_view ns;
    std::string_view name;

    name_view(std::string_view n, std::string_view m) : ns(n), name(m) {}
    name_view(const pipeline::object_name& o) : ns(o.ns), name(o.name) {}
    friend bool operator==(const name_view&, const name_view&) = default;
};

struct name_hash {
    using is_transparent = void;
    std::size_t operator()(name_view n) const noexcept {
        const std::hash<std::string_view> hash;
        return hash(n.ns) * 31 + hash(n.name);
    }
};

struct name_equal {
    using is_transparent = void;
    bool operator()(name_view a, name_view b) const noexcept { return a == b; }
};

template <class Value>
using by_name = std::unordered_map<pipeline::object_name, Value, name_hash, name_equal>;

} // namespace sluice::embedded
