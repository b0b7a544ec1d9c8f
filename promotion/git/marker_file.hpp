#pragma once

#include "promotion/git/marker_index.hpp"

#include <functional>
#include <map>
#include <span>

namespace sluice::promotion::git {

// One entry as it is kept.
struct marker_record {
    git_oid id{};
    bool many = false;
    bool remarkable = false;
    boost::container::small_vector<std::uint32_t, 4> keys; // places in the frame's table
    git::remarks remarks;
};

// The file is a row of frames, each with its length, a digest and its own table of keys: a frame that was cut off by a
// crash, or written by another program, is seen as such and never believed.
class marker_frame {
public:
    // The place of a key in the table.
    [[nodiscard]] std::uint32_t place_of(std::string_view key);
    void add(const marker_record& record);
    // In one write; a frame that did not fit on the disk is taken back.
    void append_to(const std::filesystem::path& file) const;

private:
    std::string records_;
    std::string keys_;
    std::uint32_t count_ = 0;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

struct marker_reader {
    std::function<void(std::span<const std::string_view> keys, std::size_t about)> begin_frame;
    std::function<void(marker_record)> record;
};

// What follows the first damaged frame is cut off. A file that outgrew its use is removed.
void read_marker_file(const std::filesystem::path& file, const marker_reader& to);

} // namespace sluice::promotion::git
