#pragma once

#include "base/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace sluice::cli {

// STATE/listen: the URLs a running server accepts on, one per line. There as long as this lives, or after a kill -9.
class listen_file {
public:
    [[nodiscard]] static result<listen_file>
    write(const std::filesystem::path& state, const std::vector<std::string>& urls);

    listen_file() = default;
    listen_file(listen_file&& other) noexcept;
    listen_file& operator=(listen_file&& other) noexcept;
    listen_file(const listen_file&) = delete;
    listen_file& operator=(const listen_file&) = delete;
    ~listen_file();

private:
    explicit listen_file(std::filesystem::path path) : path_(std::move(path)) {}

    std::filesystem::path path_;
};

} // namespace sluice::cli
