#pragma once

#include "yaml/syntax.hpp"

#include <string_view>
#include <vector>

// Which comment speaks about which value. The rules are those of the library Weave used, learnt by running it:
// - a comment at the end of a line speaks about the scalar it follows, behind `key:` about that key's scalar, behind
//   `]` about the list's scalars, behind `-` about what begins below;
// - a comment of one line above a key or an item speaks about its scalar. It belongs to what stands above instead
//   when it follows that directly and an empty line follows the comment, or when a deeper block ends between and the
//   columns differ.
namespace sluice::promotion {

inline constexpr std::size_t no_comment = static_cast<std::size_t>(-1);

// Indices of comments, in the order in which they are asked.
struct spoken_for {
    std::size_t line = no_comment;
    std::size_t head = no_comment;
    std::size_t key_line = no_comment;
    std::size_t key_head = no_comment;
};

struct placement {
    std::vector<spoken_for> nodes; // by node; a bracketed list's are for its scalars
    std::vector<std::string_view>
        unplaced; // by comment: why it speaks about nothing, empty when it does
};

[[nodiscard]] placement place_comments(const yaml::syntax& file);

} // namespace sluice::promotion
