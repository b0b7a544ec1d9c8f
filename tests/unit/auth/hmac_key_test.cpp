#include "auth/hmac_key.hpp"
#include "base/bytes.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <string>
#include <thread>
#include <vector>

using namespace sluice;
using namespace sluice::auth;

namespace {

std::string hex_mac(const hmac_key& key, hash h, std::string_view message) {
    const std::array<std::string_view, 1> parts{message};
    return to_hex(key.mac(h, parts).span());
}

struct rfc4231_case {
    std::string key;
    std::string message;
    std::array<std::string, 4> macs; // sha224, sha256, sha384, sha512
};

const std::array<rfc4231_case, 3> rfc4231{{
    {"Jefe",
     "what do ya want for nothing?",
     {"a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab2"
      "1649",
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0"
      "e6fd"
      "caeab1a34d4a6b4b636e070a38bce737"}},
    {std::string(20, '\xaa'),
     std::string(50, '\xdd'),
     {"7fb3cb3588c6c1f6ffa9694d7d6ad2649365b0c1f65d69d1ec8333ea",
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
      "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a3"
      "4f27",
      "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67"
      "c807"
      "b946a337bee8942674278859e13292fb"}},
    {std::string(131, '\xaa'), // longer than a block: the key itself is hashed first
     "Test Using Larger Than Block-Size Key - Hash Key First",
     {"95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
      "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f4"
      "4952",
      "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a"
      "1e52"
      "95e64f73f63f0aec8b915a985d786598"}},
}};

constexpr std::array<hash, 4> all_hashes{hash::sha224, hash::sha256, hash::sha384, hash::sha512};

} // namespace

TEST_CASE("every hash gives the MACs of RFC 4231, also when its context is used again") {
    for (const auto& c : rfc4231) {
        const hmac_key key{secret_string{c.key}};
        for (int round = 0; round < 3; ++round) {
            for (std::size_t i = 0; i < all_hashes.size(); ++i) {
                CAPTURE(round, i);
                CHECK(hex_mac(key, all_hashes.at(i), c.message) == c.macs.at(i));
            }
        }
    }
}

TEST_CASE("a message in parts has the MAC of the whole message") {
    const hmac_key key{secret_string{"Jefe"}};
    const std::array<std::string_view, 4> parts{"what do ", "", "ya want for ", "nothing?"};
    CHECK(to_hex(key.mac(hash::sha256, parts).span()) == rfc4231.front().macs.at(1));
}

TEST_CASE("the size of a MAC is that of its hash") {
    const hmac_key key{secret_string{"Jefe"}};
    for (const auto h : all_hashes) CHECK(key.mac(h, {}).size == mac_size(h));
}

TEST_CASE("one key signs for many threads at once without mixing their messages up") {
    const hmac_key key{secret_string{"Jefe"}};
    const hmac_key alone{secret_string{"Jefe"}};
    std::array<int, 4> wrong{};
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
        const auto message = std::string(100 + t, static_cast<char>('a' + t));
        const auto expected = hex_mac(alone, hash::sha256, message);
        threads.emplace_back([&key, &wrong, t, message, expected] {
            for (int i = 0; i < 2000; ++i)
                wrong.at(t) += hex_mac(key, hash::sha256, message) == expected ? 0 : 1;
        });
    }
    threads.clear();
    CHECK(wrong == std::array<int, 4>{});
}
