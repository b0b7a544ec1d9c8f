#pragma once

#include "base/result.hpp"
#include "base/secret_string.hpp"

#include <filesystem>
#include <string>

namespace sluice::cli {

inline constexpr const char* demo_first_version = "6.1.7";

// All that the demo needs, in a folder that goes with it: pipelines/, secrets/ with fresh keys, fleet.git, state/.
class demo_folder {
public:
    [[nodiscard]] static result<demo_folder> make();
    demo_folder(demo_folder&& other) noexcept;
    demo_folder& operator=(demo_folder&&) = delete;
    demo_folder(const demo_folder&) = delete;
    demo_folder& operator=(const demo_folder&) = delete;
    ~demo_folder();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::filesystem::path pipelines() const { return path_ / "pipelines"; }
    [[nodiscard]] std::filesystem::path secrets() const { return path_ / "secrets"; }
    [[nodiscard]] std::filesystem::path state() const { return path_ / "state"; }
    [[nodiscard]] std::filesystem::path repository() const { return path_ / "fleet.git"; }
    // The server's own, made when it first starts.
    [[nodiscard]] std::filesystem::path certificate() const { return state() / "tls" / "tls.crt"; }
    // The file with the key that speaks for an environment.
    [[nodiscard]] std::filesystem::path key_of(const std::string& environment) const;

private:
    explicit demo_folder(std::filesystem::path path) : path_(std::move(path)) {}
    [[nodiscard]] outcome fill() const;

    std::filesystem::path path_;
};

} // namespace sluice::cli
