#include "auth/random.hpp"

#include <openssl/rand.h>

#include <stdexcept>

namespace sluice::auth {

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    auto* out = reinterpret_cast<unsigned char*>(bytes.data());
    if (RAND_bytes(out, static_cast<int>(count)) != 1) {
        throw std::runtime_error("the system's random generator gave nothing");
    }
    return bytes;
}

} // namespace sluice::auth
