#pragma once

#include <string_view>

namespace sluice {

// A named place where the test build can stop, kill or delay the process. SLUICE_FAILPOINTS names what happens where:
//   "ledger.before_commit=kill; ledger.after_commit=kill:3; writer.loop=block; ledger.commit=delay:200ms"
// kill:N lets it pass until it comes there for the Nth time.
// The release build compiles every call away.
#ifdef SLUICE_WITH_FAILPOINTS
void failpoint(std::string_view name);
// Is called wherever one is passed, on the thread that passes: a test can stop one of several there.
using failpoint_listener = void (*)(std::string_view name);
void listen_at_failpoints(failpoint_listener listener) noexcept;
#else
inline void failpoint(std::string_view /*name*/) {}
#endif

} // namespace sluice
