#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice::tests {

// A folder of its own for one test, gone when it ends.
class temp_folder {
public:
    temp_folder() {
        auto pattern = (std::filesystem::temp_directory_path() / "sluice-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = pattern;
    }
    ~temp_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temp_folder(const temp_folder&) = delete;
    temp_folder& operator=(const temp_folder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
        return path_ / name;
    }

    // Folders on the way are made.
    void write(std::string_view name, std::string_view text) const {
        const auto file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream out{file, std::ios::binary | std::ios::trunc};
        out << text;
        if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
    }
    // As careful editors do: a new file is renamed over the old one.
    void replace(std::string_view name, std::string_view text) const {
        write(std::string{name} + "~new", text);
        std::filesystem::rename(path_ / (std::string{name} + "~new"), path_ / name);
    }

private:
    std::filesystem::path path_;
};

} // namespace sluice::tests
