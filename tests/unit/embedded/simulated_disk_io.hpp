#pragma once

#include <sqlite3.h>

namespace sluice::tests {

class simulated_disk;

// SQLite's table of functions for this disk.
void fill_in(sqlite3_vfs& vfs, simulated_disk& disk);

} // namespace sluice::tests
