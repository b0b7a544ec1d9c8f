#include "yaml/line_table.hpp"

#include <algorithm>

namespace sluice::yaml {

std::size_t break_length(std::string_view text) {
    if (text.starts_with("\r\n")) return 2;
    if (text.starts_with('\n') || text.starts_with('\r')) return 1;
    if (text.starts_with("\xC2\x85")) return 2;
    return text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9") ? 3 : 0;
}

line_table::line_table(std::string_view text) : text_(text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto length = break_length(text.substr(i));
        i += std::max<std::size_t>(length, 1);
        if (length != 0) begins_.push_back(i);
    }
}

int line_table::line(std::size_t byte) const {
    const auto next = std::ranges::upper_bound(begins_, byte);
    return static_cast<int>(next - begins_.begin());
}

std::size_t line_table::line_begin(std::size_t byte) const {
    return begins_[static_cast<std::size_t>(line(byte)) - 1];
}

std::size_t line_table::line_end(std::size_t byte) const {
    while (byte < text_.size() && break_length(text_.substr(byte)) == 0) ++byte;
    return byte;
}

int line_table::column(std::size_t byte) const {
    const auto before = text_.substr(line_begin(byte), byte - line_begin(byte));
    const auto more = std::ranges::count_if(before, continues_character);
    return 1 + static_cast<int>(before.size()) - static_cast<int>(more);
}

bool line_table::starts(std::size_t byte) const {
    const auto begin = line_begin(byte);
    return text_.substr(begin, byte - begin).find_first_not_of(" \t") == std::string_view::npos;
}

} // namespace sluice::yaml
