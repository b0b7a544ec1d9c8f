#include "auth/digest.hpp"
#include "base/bytes.hpp"
#include "promotion/text/pull_request_text.hpp"

#include <algorithm>

namespace sluice::promotion::text {
namespace {

constexpr std::size_t longest_name = 200; // a file system takes 255 bytes, and git adds ".lock"

std::string weave_name(const promotion_key& key) {
    return "promotion-" + key.pipeline.ns + "-" + key.pipeline.name + "-" + key.environment;
}

// Narrower than git's rules, so that no forge, shell or file system finds fault with it.
std::string allowed_name(const promotion_key& key) {
    auto name = weave_name(key);
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    };
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool second_dot = name[i] == '.' && name[i - 1] == '.';
        if (!allowed(name[i]) || second_dot) name[i] = '-';
    }
    if (name.size() > longest_name) name.resize(longest_name);
    return name;
}

bool ends_badly(std::string_view name) {
    return name.ends_with('.') || name.ends_with(".lock");
}

// Case differs on no branch of ours: some servers keep refs in files of a file system that ignores it.
std::string folded(std::string name) {
    std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return name;
}

std::string short_hash(const promotion_key& key) {
    constexpr std::string_view zero{"\0", 1};
    const std::string_view parts[] = {
        key.pipeline.ns, zero, key.pipeline.name, zero, key.environment
    };
    return to_hex(auth::sha256(parts)).substr(0, 8);
}

} // namespace

std::string branch_name(const promotion_key& key, std::span<const promotion_key> all) {
    const auto name = allowed_name(key);
    const bool shared = std::ranges::any_of(all, [&](const promotion_key& other) {
        return other != key && folded(allowed_name(other)) == folded(name);
    });
    if (!shared && name == weave_name(key) && !ends_badly(name)) return name;
    return name + "-" + short_hash(key);
}

} // namespace sluice::promotion::text
