option(SLUICE_TESTS "Build the tests" ON)
option(SLUICE_FUZZ "Build the libFuzzer targets (clang only)" OFF)
option(SLUICE_FAILPOINTS "Compile named failpoints in (test builds only)" OFF)
set(SLUICE_SANITIZE "" CACHE STRING "Value of -fsanitize=, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

# Everything of ours is compiled with these; dependencies are not.
add_library(sluice_flags INTERFACE)
target_include_directories(sluice_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(sluice_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
target_compile_definitions(
    sluice_flags
    INTERFACE JSON_DIAGNOSTICS=1 # error texts name the JSON path; changes the ABI namespace, so everywhere or nowhere
              BOOST_ASIO_NO_DEPRECATED
              BOOST_ASIO_SEPARATE_COMPILATION # Asio is compiled once, in base/asio.cpp
              SPDLOG_FMT_EXTERNAL
)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 sees these in the standard library's own inlined code.
    target_compile_options(
        sluice_flags
        INTERFACE -Wno-array-bounds
                  -Wno-stringop-overflow
                  -Wno-stringop-overread
                  -Wno-restrict
                  -Wno-maybe-uninitialized
    )
endif()
if(SLUICE_FAILPOINTS)
    target_compile_definitions(sluice_flags INTERFACE SLUICE_WITH_FAILPOINTS)
endif()
if(SLUICE_FUZZ)
    # Coverage feedback from the rooms themselves, not only from the fuzz targets.
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(SLUICE_SANITIZE)
    add_compile_options(-fsanitize=${SLUICE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${SLUICE_SANITIZE})
else()
    add_compile_options(-fstack-protector-strong -D_FORTIFY_SOURCE=2)
    add_link_options(-Wl,-z,relro,-z,now)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_link_options(-fuse-ld=lld)
endif()

find_program(SLUICE_CCACHE ccache)
if(SLUICE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_SOURCE_DIR}/scripts/compile)
endif()
