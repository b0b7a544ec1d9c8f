#include "config/print.hpp"
#include "config/value.hpp"

#include <cstdint>
#include <cstdlib>

using namespace sluice::config;

namespace {

bool same(const settings& a, const settings& b) {
    for (const auto& s : all_settings()) {
        if (written_form(s, a) != written_form(s, b)) return false;
    }
    return true;
}

} // namespace

// Any file is refused with a reason or taken; what is taken prints to a file that loads back to the same values.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto first = read_yaml({reinterpret_cast<const char*>(data), size}, "f");
    loaded taken;
    for (const auto& a : first.assignments) {
        if (assign(*a.what, taken.values, a.written)) taken.origins.emplace(a.what->path, a.origin);
    }
    const auto second = read_yaml(print(taken), "printed");
    if (!second.problems.empty()) std::abort();
    settings again;
    for (const auto& a : second.assignments) {
        if (!assign(*a.what, again, a.written)) std::abort();
    }
    if (!same(taken.values, again)) std::abort();
    return 0;
}
