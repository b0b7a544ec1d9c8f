#pragma once

#include "tests/support/source_tree.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

// Events as Flux's notification-controller sends them, one file per generation and kind.
namespace sluice::pipeline {

inline std::string event_fixture(const std::string& name) {
    static const auto folder = sluice::tests::source_tree() / "tests/fixtures/events";
    std::ifstream file{folder / (name + ".json"), std::ios::binary};
    if (!file) throw std::runtime_error("no fixture " + (folder / name).string());
    return {std::istreambuf_iterator<char>{file}, {}};
}

} // namespace sluice::pipeline
