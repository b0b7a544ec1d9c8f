#pragma once

#include <istream>
#include <ostream>

namespace sluice::cli {

// Where a command reads and writes; the real ones in main(), strings in tests.
struct console {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
};

// Scripts rely on these.
enum exit_code : int {
    done = 0,
    failed = 1,      // the thing asked for failed
    wrong_usage = 2, // it was not asked for rightly
};

} // namespace sluice::cli
