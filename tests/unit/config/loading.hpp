#pragma once

#include "config/load.hpp"
#include "tests/support/temp_folder.hpp"

#include <string>
#include <string_view>

namespace sluice::config::testing {

// A configuration file that goes with the test.
class temporary_file {
public:
    explicit temporary_file(std::string_view text) { folder_.write("sluice.yaml", text); }
    [[nodiscard]] std::string path() const { return folder_ / "sluice.yaml"; }

private:
    tests::temp_folder folder_;
};

inline result<loaded>
load_all(const temporary_file& file, environment_map environment = {}, flag_map flags = {}) {
    return load(
        {.file = file.path(), .environment = std::move(environment), .flags = std::move(flags)}
    );
}

// What loading the text is refused with, the file being called "f"; empty when it is taken.
inline std::string
refusal(std::string_view text, environment_map environment = {}, flag_map flags = {}) {
    const temporary_file file{text};
    const auto l = load_all(file, std::move(environment), std::move(flags));
    if (l) return {};
    auto message = l.error().message;
    for (auto at = message.find(file.path()); at != std::string::npos;
         at = message.find(file.path())) {
        message.replace(at, file.path().size(), "f");
    }
    return message;
}

} // namespace sluice::config::testing
