#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sluice::yaml {

// Bytes to lines and columns, with the line breaks YAML 1.1 knows: LF, CR LF, CR, NEL, LS, PS.
class line_table {
public:
    explicit line_table(std::string_view text);

    [[nodiscard]] int line(std::size_t byte) const;   // from 1
    [[nodiscard]] int column(std::size_t byte) const; // from 1, in characters
    [[nodiscard]] bool starts(std::size_t byte
    ) const; // only blanks stand in front of it in its line
    [[nodiscard]] std::size_t line_begin(std::size_t byte) const;
    // Where the line's text ends: at its line break or at the end of the text.
    [[nodiscard]] std::size_t line_end(std::size_t byte) const;

private:
    std::string_view text_;
    std::vector<std::size_t> begins_{0};
};

// The length of the line break that `text` begins with, else 0.
[[nodiscard]] std::size_t break_length(std::string_view text);

// True for the second and later bytes of a UTF-8 character.
[[nodiscard]] inline bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

} // namespace sluice::yaml
