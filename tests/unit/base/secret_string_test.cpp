#include "base/secret_string.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <memory>
#include <new>
#include <sstream>
#include <type_traits>

using namespace sluice;

namespace {

// Memory that outlives the secret inside it, so that what is left behind can be looked at.
class shelf {
public:
    secret_string* put(std::string_view text) {
        return new (bytes_.data()) secret_string{std::string{text}};
    }
    [[nodiscard]] bool holds(std::string_view text) const {
        return std::string_view{bytes_.data(), bytes_.size()}.find(text) != std::string_view::npos;
    }

private:
    alignas(secret_string) std::array<char, sizeof(secret_string)> bytes_{};
};

template <class T>
concept printable = requires(std::ostream& out, const T& value) { out << value; };

} // namespace

TEST_CASE("a secret cannot be printed or turned into a string by accident") {
    STATIC_REQUIRE_FALSE(printable<secret_string>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<secret_string, std::string>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<secret_string, std::string_view>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<std::string, secret_string>);
}

TEST_CASE("a secret that has gone leaves nothing behind, short ones inside the object included") {
    shelf memory;
    auto* secret = memory.put("short secret");
    REQUIRE(memory.holds("hort secre"));
    std::destroy_at(secret);
    CHECK_FALSE(memory.holds("hort secre"));
}

TEST_CASE("a secret that was moved away leaves nothing behind") {
    shelf memory;
    auto* from = memory.put("short secret");
    const secret_string moved{std::move(*from)};
    CHECK(moved.reveal() == "short secret");
    CHECK(from->empty());
    CHECK_FALSE(memory.holds("hort secre"));
    std::destroy_at(from);

    auto* again = memory.put("short secret");
    secret_string target{"an older and much longer secret that lives on the heap"};
    target = std::move(*again);
    CHECK(target.reveal() == "short secret");
    CHECK_FALSE(memory.holds("hort secre"));
    std::destroy_at(again);
}

TEST_CASE("a longer secret is wiped when a shorter one takes its place") {
    shelf memory;
    auto* secret = memory.put("longer-secret");
    const secret_string shorter{"new"};
    *secret = shorter;
    CHECK(secret->reveal() == "new");
    CHECK(shorter.reveal() == "new");
    CHECK_FALSE(memory.holds("secret"));
    std::destroy_at(secret);
}

TEST_CASE("copies of a secret are equal and independent, and assigning one to itself keeps it") {
    secret_string a{"k"};
    secret_string b = a;
    CHECK(a == b);
    b = secret_string{"other"};
    CHECK_FALSE(a == b);
    CHECK(a.reveal() == "k");
    const auto& same = a;
    a = same;
    CHECK(a.reveal() == "k");
    CHECK(secret_string{}.empty());
}

TEST_CASE("a secret may hold any bytes") {
    const std::string bytes("\0\xff\n", 3);
    CHECK(secret_string{bytes}.reveal() == bytes);
}
