#pragma once

#include "embedded/sqlite_ledger.hpp"
#include "embedded/state_folder.hpp"
#include "tests/home/ledger_fixture.hpp"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace sluice::tests {

class scratch_folder {
public:
    scratch_folder() {
        std::string text = (std::filesystem::temp_directory_path() / "sluice-XXXXXX").string();
        if (::mkdtemp(text.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path = text;
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder() {
        std::error_code ec;
        std::filesystem::remove_all(path, ec);
    }
    std::filesystem::path path;
};

// The real ledger on a real folder, or on the given VFS.
class ledger_on_disk final : public ledger_fixture {
public:
    explicit ledger_on_disk(embedded::ledger_options o = {}) : options(std::move(o)) { open(); }
    ledger_on_disk(embedded::ledger_options o, std::filesystem::path database)
        : options(std::move(o)), database_(std::move(database)) {
        open();
    }

    home::ledger& ledger() override { return *ledger_; }
    void restart() override {
        ledger_.reset();
        open();
    }
    void close() { ledger_.reset(); }
    [[nodiscard]] const std::filesystem::path& database() const { return database_; }

    embedded::ledger_options options;
    observe::registry metrics;
    std::atomic<int> fatal_calls{0};

private:
    void open() {
        auto opened = embedded::sqlite_ledger::open(
            database_, options, clock, metrics, [this](const std::string&) { ++fatal_calls; }
        );
        if (!opened) throw std::runtime_error(opened.error().message);
        ledger_ = std::move(*opened);
    }

    scratch_folder folder_;
    std::filesystem::path database_ = embedded::state_folder::database_in(folder_.path);
    std::unique_ptr<embedded::sqlite_ledger> ledger_;
};

} // namespace sluice::tests
