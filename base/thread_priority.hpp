#pragma once

namespace sluice {

// The calling thread gets a core before the others when there are too few. False where the system forbids it: that takes
// CAP_SYS_NICE or a nice limit, and costs only speed.
bool put_this_thread_first() noexcept;

} // namespace sluice
