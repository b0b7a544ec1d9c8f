#include "tests/home/ledger_conformance.hpp"

#include "tests/home/ledger_live_conformance.hpp"
#include "tests/home/ledger_work_conformance.hpp"
#include "tests/unit/embedded/ledger_on_disk.hpp"

namespace sluice::tests {
namespace {

std::unique_ptr<ledger_fixture> on_disk() {
    return std::make_unique<ledger_on_disk>();
}

TEST_CASE("the SQLite ledger accepts as every ledger does", "[ledger]") {
    conforms_in_accepting(on_disk);
}

TEST_CASE("the SQLite ledger tells as every ledger does", "[ledger]") {
    conforms_in_telling(on_disk);
}

TEST_CASE("the SQLite ledger keeps what was done outside as every ledger does", "[ledger]") {
    conforms_in_keeping_work(on_disk);
}

TEST_CASE("the SQLite ledger knows what is alive as every ledger does", "[ledger]") {
    conforms_in_what_is_alive(on_disk);
}

TEST_CASE("the SQLite ledger tells of changes as every ledger does", "[ledger]") {
    conforms_in_telling_changes(on_disk);
}

} // namespace
} // namespace sluice::tests
