#include "config/load.hpp"

#include "base/files.hpp"
#include "config/consistency.hpp"
#include "config/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sluice::config {
namespace {

// A configuration has some dozen lines; a file beyond this is another file.
constexpr std::size_t largest_file = std::size_t{1} << 20U;

reading read_file_at(const std::string& path) {
    const auto text = read_file(path, largest_file);
    if (text) return read_yaml(*text, path);
    return {
        .assignments = {}, .problems = {text.error().message + "; check --config"}, .warnings = {}
    };
}

class merger {
public:
    void take(const reading& r) {
        problems_.insert(problems_.end(), r.problems.begin(), r.problems.end());
        result_.warnings.insert(result_.warnings.end(), r.warnings.begin(), r.warnings.end());
        for (const auto& a : r.assignments) {
            if (const auto assigned = assign(*a.what, result_.values, a.written); !assigned) {
                problems_.push_back(
                    fmt::format("{}: {}: {}", a.origin, a.what->path, assigned.error().message)
                );
            }
            result_.origins.insert_or_assign(std::string{a.what->path}, a.origin);
        }
    }

    result<loaded> finish() && {
        // Told only when each value is right by itself: what follows from a wrong one is noise.
        if (problems_.empty()) problems_ = contradictions(result_.values);
        if (problems_.empty()) return std::move(result_);
        return error{errc::invalid_argument, fmt::format("{}", fmt::join(problems_, "\n"))};
    }

private:
    loaded result_;
    std::vector<std::string> problems_;
};

} // namespace

result<loaded> load(const inputs& in) {
    merger m;
    if (!in.file.empty()) m.take(read_file_at(in.file));
    m.take(read_environment(in.environment));
    m.take(read_flags(in.flags));
    return std::move(m).finish();
}

} // namespace sluice::config
