#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Bytes that must never reach a log: no operator<<, no formatter, wiped when it goes.
class secret_string {
public:
    secret_string() = default;
    explicit secret_string(std::string bytes) : bytes_(std::move(bytes)) {}
    secret_string(const secret_string&) = default;
    secret_string& operator=(const secret_string&) = default;
    secret_string(secret_string&& other) noexcept : bytes_(std::move(other.bytes_)) {
        other.wipe();
    }
    secret_string& operator=(secret_string&& other) noexcept {
        if (this != &other) {
            wipe();
            bytes_ = std::move(other.bytes_);
            other.wipe();
        }
        return *this;
    }
    ~secret_string() { wipe(); }

    // The name is long on purpose: each use is a place to look at in review.
    [[nodiscard]] std::string_view reveal() const noexcept { return bytes_; }
    [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
    friend bool operator==(const secret_string&, const secret_string&) = default;

private:
    void wipe() noexcept {
        volatile char* p = bytes_.data();
        for (std::size_t i = 0; i < bytes_.size(); ++i) p[i] = 0;
        bytes_.clear();
    }

    std::string bytes_;
};

} // namespace sluice
