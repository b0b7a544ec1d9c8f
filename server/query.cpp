#include "server/query.hpp"

#include "base/bytes.hpp"

#include <algorithm>

namespace sluice::server {
namespace {

std::optional<std::string> decoded(std::string_view text) {
    std::string value;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            value += text[i] == '+' ? ' ' : text[i];
            continue;
        }
        const auto byte = from_hex(text.substr(i + 1, 2));
        if (!byte || byte->empty()) return std::nullopt;
        value += *byte;
        i += 2;
    }
    return value;
}

} // namespace

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
    for (std::size_t begin = 0; begin < query.size();) {
        const auto end = std::min(query.find('&', begin), query.size());
        const auto pair = query.substr(begin, end - begin);
        const auto eq = std::min(pair.find('='), pair.size());
        if (pair.substr(0, eq) == name) {
            return decoded(pair.substr(std::min(eq + 1, pair.size())));
        }
        begin = end + 1;
    }
    return std::nullopt;
}

} // namespace sluice::server
