#pragma once

#include <string_view>

namespace sluice {

// A named place where the test build can stop, kill or delay the process. SLUICE_FAILPOINTS names what happens where:
//   "ledger.before_commit=kill; writer.loop=block; ledger.commit=delay:200ms"
// The release build compiles every call away.
#ifdef SLUICE_WITH_FAILPOINTS
void failpoint(std::string_view name);
#else
inline void failpoint(std::string_view /*name*/) {}
#endif

} // namespace sluice
