#include "cli/command_line.hpp"

#include <iostream>

int main(int argc, char** argv) {
    sluice::cli::console console{std::cin, std::cout, std::cerr};
    return sluice::cli::run({argv + 1, argv + argc}, console);
}
