#pragma once

#include "auth/key_ring.hpp"
#include "auth/recent_map.hpp"
#include "home/secrets.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace sluice::server {

using key_ring_ptr = std::shared_ptr<const auth::key_ring>;

// Key rings made from Secrets, each kept until its Secret changes: making one costs more than verifying with it.
class key_rings {
public:
    // `prefix` as in auth::key_ring::from().
    explicit key_rings(std::string prefix) : prefix_(std::move(prefix)) {}

    [[nodiscard]] key_ring_ptr
    ring_of(std::string_view ns, std::string_view name, const home::secret& secret);

private:
    struct entry {
        std::uint64_t generation = 0;
        key_ring_ptr ring;
    };
    // As many as there can be environments in use at once; a forgotten ring is made again.
    static constexpr std::size_t capacity = 16'384;

    std::string prefix_;
    auth::recent_map<std::string, std::string_view, entry> rings_{capacity};
};

} // namespace sluice::server
