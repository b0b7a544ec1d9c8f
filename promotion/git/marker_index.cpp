#include "promotion/git/marker_index.hpp"

#include "promotion/git/marker_file.hpp"

#include <algorithm>

namespace sluice::promotion::git {
namespace {

constexpr std::size_t keys_of_a_folder = 256;

} // namespace

bool indexed::may_hold(key_number key) const {
    return many || std::binary_search(keys.begin(), keys.end(), key);
}

void indexed::include(const indexed& child) {
    many = many || child.many;
    remarkable = remarkable || child.remarkable;
    if (many) return keys.clear();
    for (const auto key : child.keys) {
        const auto at = std::lower_bound(keys.begin(), keys.end(), key);
        if (at == keys.end() || *at != key) keys.insert(at, key);
    }
    if (keys.size() <= keys_of_a_folder) return;
    many = true;
    keys.clear();
}

marker_index::marker_index(std::filesystem::path file) : file_(std::move(file)) {
    load();
}

const indexed* marker_index::find(const git_oid& id) const {
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : &found->second;
}

const indexed& marker_index::add(const git_oid& id, indexed what) {
    unsaved_.push_back(id);
    return entries_.insert_or_assign(id, std::move(what)).first->second;
}

key_number marker_index::number_of(std::string_view key) {
    const auto [at, is_new] =
        numbers_.emplace(std::string{key}, static_cast<key_number>(keys_.size()));
    if (is_new) keys_.emplace_back(key);
    return at->second;
}

void marker_index::load() {
    std::vector<key_number> numbers; // of the frame's keys
    const auto begin_frame = [&](std::span<const std::string_view> keys, std::size_t about) {
        numbers.clear();
        for (const auto key : keys) numbers.push_back(number_of(key));
        entries_.reserve(entries_.size() + about);
    };
    const auto record = [&](marker_record read) {
        indexed what;
        for (const auto place : read.keys) what.keys.push_back(numbers[place]);
        std::ranges::sort(what.keys);
        what.many = read.many;
        what.remarkable = read.remarkable;
        if (!read.remarks.unreadable.empty() || !read.remarks.strays.empty())
            what.remarks = std::make_shared<const remarks>(std::move(read.remarks));
        entries_.insert_or_assign(read.id, std::move(what));
    };
    read_marker_file(file_, {begin_frame, record});
}

void marker_index::save() {
    if (unsaved_.empty()) return;
    marker_frame frame;
    for (const auto& id : unsaved_) {
        const auto& what = entries_.at(id);
        marker_record record;
        record.id = id;
        record.many = what.many;
        record.remarkable = what.remarkable;
        for (const auto key : what.keys) record.keys.push_back(frame.place_of(keys_[key]));
        if (what.remarks) record.remarks = *what.remarks;
        frame.add(record);
    }
    unsaved_.clear();
    frame.append_to(file_);
}

} // namespace sluice::promotion::git
