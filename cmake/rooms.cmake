# The headers nearly every file pays for, compiled once. All rooms share the flags it was made with.
target_link_libraries(
    sluice_flags INTERFACE Boost::headers nlohmann_json::nlohmann_json fmt::fmt spdlog::spdlog Threads::Threads
)
file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
add_library(precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
target_link_libraries(precompiled PRIVATE sluice_flags)
set(sluice_precompiled_headers
    <boost/asio/awaitable.hpp>
    <boost/asio/io_context.hpp>
    <boost/asio/steady_timer.hpp>
    <boost/asio/use_awaitable.hpp>
    <nlohmann/json.hpp>
    <fmt/format.h>
    <chrono>
    <functional>
    <map>
    <string>
    <variant>
    <vector>
)
target_precompile_headers(precompiled PRIVATE ${sluice_precompiled_headers})
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # The same content is the same header, whenever its files were written: scripts/compile tells ccache so.
    target_compile_options(sluice_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()

# A room is a folder, a namespace and a static library: sluice_room(name USES rooms... LINKS libraries...)
function(sluice_room name)
    cmake_parse_arguments(room "" "" "USES;LINKS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${name}/*.cpp)
    set(visibility PUBLIC)
    if(sources)
        add_library(room_${name} STATIC ${sources})
    else()
        set(visibility INTERFACE)
        add_library(room_${name} INTERFACE)
    endif()
    list(TRANSFORM room_USES PREPEND room_)
    target_link_libraries(room_${name} ${visibility} sluice_flags ${room_USES} ${room_LINKS})
    if(sources)
        target_precompile_headers(room_${name} REUSE_FROM precompiled)
    endif()
endfunction()
