#pragma once

// Catch2 v2 is Debian's, v3 is vcpkg's.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
