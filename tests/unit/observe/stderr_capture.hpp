#pragma once

#include "base/unique_fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::log {

struct pipe_ends {
    unique_fd read;
    unique_fd write;

    pipe_ends() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
        read = unique_fd{ends[0]};
        write = unique_fd{ends[1]};
    }
};

// Everything until the last writer has closed its end.
inline std::string read_all(int descriptor) {
    std::string all;
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto n = ::read(descriptor, buffer.data(), buffer.size());
        if (n <= 0) return all;
        all.append(buffer.data(), static_cast<std::size_t>(n));
    }
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end == std::string::npos ? text.size() : end + 1;
    }
    return lines;
}

// Points stderr at an unnamed file while it lives.
class stderr_capture {
public:
    stderr_capture() : file_(std::tmpfile()), saved_(::dup(STDERR_FILENO)) {
        if (file_ == nullptr || ::dup2(::fileno(file_), STDERR_FILENO) < 0)
            throw std::runtime_error("dup2");
    }
    ~stderr_capture() {
        ::dup2(saved_.get(), STDERR_FILENO);
        std::fclose(file_);
    }
    stderr_capture(const stderr_capture&) = delete;
    stderr_capture& operator=(const stderr_capture&) = delete;

    [[nodiscard]] std::vector<std::string> lines() const {
        ::lseek(::fileno(file_), 0, SEEK_SET);
        return lines_of(read_all(::fileno(file_)));
    }

private:
    std::FILE* file_;
    unique_fd saved_;
};

} // namespace sluice::log
