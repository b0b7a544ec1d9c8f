#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Bytes that must never reach a log: no operator<<, no formatter, wiped when it goes.
class secret_string {
public:
    secret_string() = default;
    explicit secret_string(std::string bytes) : bytes_(std::move(bytes)) { wipe(bytes); }
    secret_string(const secret_string&) = default;
    secret_string& operator=(const secret_string& other) {
        if (this != &other) *this = secret_string{other};
        return *this;
    }
    secret_string(secret_string&& other) noexcept : bytes_(std::move(other.bytes_)) {
        wipe(other.bytes_);
    }
    secret_string& operator=(secret_string&& other) noexcept {
        if (this != &other) {
            wipe(bytes_);
            bytes_ = std::move(other.bytes_);
            wipe(other.bytes_);
        }
        return *this;
    }
    ~secret_string() { wipe(bytes_); }

    // The name is long on purpose: each use is a place to look at in review.
    [[nodiscard]] std::string_view reveal() const noexcept { return bytes_; }
    [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
    friend bool operator==(const secret_string&, const secret_string&) = default;

private:
    // The whole buffer: a short string that was moved from still holds its bytes behind its end.
    static void wipe(std::string& bytes) noexcept {
        bytes.resize(bytes.capacity());
        volatile char* p = bytes.data();
        for (std::size_t i = 0; i < bytes.size(); ++i) p[i] = 0;
        bytes.clear();
    }

    std::string bytes_;
};

} // namespace sluice
