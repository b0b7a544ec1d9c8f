#include "server/key_rings.hpp"

namespace sluice::server {

key_ring_ptr
key_rings::ring_of(std::string_view ns, std::string_view name, const home::secret& secret) {
    std::string key;
    key.reserve(ns.size() + 1 + name.size());
    key.append(ns).append("/").append(name);
    return rings_.with(key, [&](entry& e) {
        if (!e.ring || e.generation != secret.generation) {
            e.ring = std::make_shared<auth::key_ring>(auth::key_ring::from(secret.data, prefix_));
            e.generation = secret.generation;
        }
        return e.ring;
    });
}

} // namespace sluice::server
