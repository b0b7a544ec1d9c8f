#include "observe/utf8.hpp"

#include "base/bytes.hpp"

namespace sluice::observe {

std::size_t utf8_sequence(std::string_view text, std::size_t at) noexcept {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    const auto sequence = text.substr(at, length);
    return sequence.size() == length && is_utf8(sequence) ? length : 0;
}

} // namespace sluice::observe
