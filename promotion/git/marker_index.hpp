#pragma once

#include "promotion/git/oid_hash.hpp"

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Which promotions a file or a folder speaks about, by object id: what did not change is never read again.
namespace sluice::promotion::git {

using key_number = std::uint32_t;

// Of a file: what a person should know. Each is "line: why".
struct remarks {
    std::vector<std::string> unreadable;
    std::vector<std::string> strays;
};

struct indexed {
    boost::container::small_vector<key_number, 2> keys; // sorted
    bool many = false;       // of a folder: more keys than are listed, so look inside
    bool remarkable = false; // it, or a file below, has remarks
    std::shared_ptr<const git::remarks> remarks; // of a file

    [[nodiscard]] bool may_hold(key_number key) const;
    [[nodiscard]] bool boring() const { return keys.empty() && !many && !remarkable; }
    // Of a folder: what stands below is in it.
    void include(const indexed& child);
};

class marker_index {
public:
    // Reads FILE; what is damaged there is cut off and found out again.
    explicit marker_index(std::filesystem::path file);

    [[nodiscard]] const indexed* find(const git_oid& id) const;
    // The entry stays where it is until the next add().
    const indexed& add(const git_oid& id, indexed what);

    // "ns:name:env" as a number, for this run.
    [[nodiscard]] key_number number_of(std::string_view key);
    [[nodiscard]] const std::string& key_of(key_number n) const { return keys_[n]; }

    // Appends what was added since. A disk that is full costs only time: nothing is told.
    void save();

private:
    void load();

    std::filesystem::path file_;
    boost::unordered_flat_map<git_oid, indexed, oid_hash, oid_equal> entries_;
    std::vector<std::string> keys_;
    boost::unordered_flat_map<std::string, key_number> numbers_;
    std::vector<git_oid> unsaved_;
};

} // namespace sluice::promotion::git
