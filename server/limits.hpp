#pragma once

#include <chrono>
#include <cstddef>

namespace sluice::server {

// Every bound a client can run into, with the reason for it and the name of its setting.
struct limits {
    // A Flux request has 300 bytes of headers; proxies and traces add a few KiB. 431. limits.headers
    std::size_t header_bytes = std::size_t{64} << 10U;
    // A request that came through several proxies has thirty fields. Each costs 32 bytes beside its text, which in a head of
    // short ones would be many times what header_bytes allows. 431. limits.header-fields
    std::size_t header_fields = 256;
    // As much as Flux's own receiver takes. 413. limits.body
    std::size_t body_bytes = std::size_t{3} << 20U;
    // Strangers can make us hold this much in all before a signature is checked: what heads and bodies have above 4 KiB each,
    // from when it arrives. Below, and for its fields, a request costs some 16 KiB. 503. limits.unverified-bodies
    std::size_t unverified_bytes = std::size_t{64} << 20U;
    // Extensions mean nothing to us; without a bound they are a body that no limit counts. 400. limits.chunk-extensions
    std::size_t chunk_extension_bytes = std::size_t{4} << 10U;
    // Trailers are read and dropped. 431. limits.trailers
    std::size_t trailer_bytes = std::size_t{8} << 10U;

    // From the first byte of a request to the end of its headers, however it drips. 408. limits.header-read
    std::chrono::milliseconds header_read{10'000};
    // From the end of the headers to the end of the body. 408. limits.body-read
    std::chrono::milliseconds body_read{30'000};
    // Flux leaves a connection idle for 90 s after each event; each costs memory. limits.idle
    std::chrono::milliseconds idle{15'000};
    // A handshake is two round trips. limits.tls-handshake
    std::chrono::milliseconds tls_handshake{10'000};
    // A peer that does not read its answer is gone. limits.write
    std::chrono::milliseconds write{30'000};
    // A refused peer may finish sending for this long, so that it reads why instead of a reset. limits.linger
    std::chrono::milliseconds linger{2'000};

    // Memory for idle TLS connections stays below 250 MB. 503. limits.connections
    std::size_t connections = 10'000;
    // One address (IPv6: one /64) cannot take them all. 503. limits.connections-per-address
    std::size_t connections_per_address = 1'000;
    // Connections above the caps that are still told why by a 503; the others are closed at once. limits.refusals
    std::size_t refusals = 64;
};

} // namespace sluice::server
