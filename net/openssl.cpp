#include "net/openssl.hpp"

#include <openssl/err.h>

namespace sluice::net {

std::string openssl_error() {
    const unsigned long code = ERR_peek_last_error();
    ERR_clear_error();
    if (code == 0) return "no reason given";
    const char* reason = ERR_reason_error_string(code);
    if (reason != nullptr) return reason;
    std::string text(256, '\0');
    ERR_error_string_n(code, text.data(), text.size());
    text.resize(text.find('\0'));
    return text;
}

} // namespace sluice::net
