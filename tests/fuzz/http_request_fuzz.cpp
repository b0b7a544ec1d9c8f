#include "server/request_reader.hpp"

#include <cstdint>
#include <cstdlib>

// The first byte says how the rest is cut into reads: whatever the cuts, the same request or the same refusal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace sluice::server;
    if (size < 1) return 0;
    const std::size_t step = std::size_t{1} + data[0] % 64U;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    limits bounds;
    bounds.header_bytes = 4096;
    bounds.body_bytes = 4096;
    body_budget budget(8192);

    request_reader whole(bounds, budget);
    const std::size_t used_whole = whole.feed(bytes);
    {
        request_reader cut(bounds, budget);
        std::size_t at = 0;
        while (!cut.done() && at < bytes.size()) {
            const auto piece = bytes.substr(at, step);
            const std::size_t used = cut.feed(piece);
            if (used > piece.size() || (!cut.done() && used != piece.size())) std::abort();
            at += used;
        }
        if (cut.where() != whole.where()) std::abort();
        if (whole.where() == request_reader::state::complete) {
            if (at != used_whole || cut.request().body != whole.request().body) std::abort();
            if (cut.request().path != whole.request().path) std::abort();
            if (cut.keep_alive() != whole.keep_alive()) std::abort();
        }
    }
    return 0;
}
