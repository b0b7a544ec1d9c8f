#include "observe/line_writer.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/observe/stderr_capture.hpp"

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace sluice::log;

namespace {

std::string lost(std::uint64_t count) {
    return "lost " + std::to_string(count) + "\n";
}

constexpr std::size_t plenty = std::size_t{1} << 20U;

} // namespace

TEST_CASE("lines arrive whole and in order, and none is left behind at the end") {
    pipe_ends ends;
    std::string expected;
    std::string got;
    std::thread reader{[&] { got = read_all(ends.read.get()); }};
    {
        line_writer writer{ends.write.get(), plenty, lost};
        for (int i = 0; i < 5000; ++i) {
            const auto line = "line " + std::to_string(i) + "\n";
            expected += line;
            REQUIRE(writer.push(line));
        }
    }
    ends.write = {};
    reader.join();
    CHECK(got == expected);
}

TEST_CASE("a reader that stands still never blocks the caller, and what was lost is told once it "
          "reads again") {
    pipe_ends ends;
    auto writer = std::make_unique<line_writer>(ends.write.get(), 10'000, lost);
    const std::string line(100, 'x');
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    // The pipe itself holds 64 KiB, the queue 10 kB: most of a megabyte has no place.
    for (int i = 0; i < 10'000; ++i) ++(writer->push(line + "\n") ? accepted : refused);
    REQUIRE(refused > 5000);

    std::string got;
    std::thread reader{[&] { got = read_all(ends.read.get()); }};
    writer.reset();
    ends.write = {};
    reader.join();

    std::uint64_t arrived = 0;
    std::uint64_t told = 0;
    for (const auto& l : lines_of(got)) {
        if (l.starts_with("lost ")) {
            told += std::stoull(l.substr(5));
        } else {
            CHECK(l == line);
            ++arrived;
        }
    }
    CHECK(arrived == accepted);
    CHECK(told == refused);
}

TEST_CASE("a reader that never reads again does not keep the program from ending") {
    const pipe_ends ends;
    const auto before = std::chrono::steady_clock::now();
    {
        line_writer writer{ends.write.get(), plenty, lost};
        for (int i = 0; i < 5000; ++i) writer.push(std::string(100, 'x') + "\n");
    }
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds{10});
}

TEST_CASE("lines of many threads are not torn") {
    pipe_ends ends;
    std::string got;
    std::thread reader{[&] { got = read_all(ends.read.get()); }};
    {
        line_writer writer{ends.write.get(), std::size_t{16} << 20U, lost};
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&writer, t] {
                for (int i = 0; i < 1000; ++i) {
                    writer.push(std::to_string(t) + "/" + std::to_string(i) + "\n");
                }
            });
        }
    }
    ends.write = {};
    reader.join();
    const auto lines = lines_of(got);
    const std::set<std::string> distinct{lines.begin(), lines.end()};
    CHECK(lines.size() == 4000);
    CHECK(distinct.size() == 4000);
    CHECK(distinct.contains("3/999"));
}
