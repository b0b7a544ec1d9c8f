#include "pipeline/order.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

using namespace sluice;
using namespace sluice::pipeline;

namespace {

attempt into_prod(std::string revision, promotion_state state, int seconds) {
    promotion_id id{{"default", "podinfo"}, "prod", revision};
    return {std::move(id), facts(std::move(revision)), state, {}, at(seconds)};
}

std::string newer_than(const std::string& revision, int seconds, const environment_record& record) {
    const contest order{record, {revision, at(seconds), nullptr}};
    const auto* newer = order.newer();
    return newer == nullptr ? "-" : newer->revision;
}

} // namespace

TEST_CASE("an older version never overtakes what runs, is written or is on its way") {
    using enum promotion_state;
    struct row {
        promotion_state state;
        const char* newer;
    };
    const row rows[] = {
        {pending, "1.2.0"},
        {awaiting_approval, "1.2.0"},
        {held, "1.2.0"},
        {running, "1.2.0"},
        {pull_request_open, "1.2.0"},
        {merged, "1.2.0"},
        {notified, "1.2.0"},
        {no_change, "1.2.0"},
        {deployed, "-"}, // counts as long as it is current
        {superseded, "-"},
        {rejected, "-"},
        {expired, "-"},
        {cancelled, "-"},
        {denied, "-"},
        {closed, "-"},
        {failed, "-"},
        {deploy_failed, "-"},
    };
    for (const auto& r : rows) {
        INFO(to_string(r.state));
        environment_record record;
        record.attempts = {into_prod("1.2.0", r.state, 1)};
        CHECK(newer_than("1.1.0", 99, record) == r.newer);
        CHECK(newer_than("1.3.0", 99, record) == "-");
    }
    environment_record in_use;
    in_use.current = facts("1.2.0");
    CHECK(newer_than("1.1.0", 99, in_use) == "1.2.0");
    CHECK(newer_than("1.2.0", 99, in_use) == "-");
    CHECK(newer_than("1.2.1", 1, in_use) == "-");
    in_use.attempts = {into_prod("1.2.0", deploy_failed, 1)};
    CHECK(newer_than("1.1.0", 99, in_use) == "-"); // it runs nowhere
    in_use.attempts = {into_prod("1.4.0", pending, 1), into_prod("1.3.0", pull_request_open, 2)};
    CHECK(newer_than("1.1.0", 99, in_use) == "1.4.0");
    CHECK(newer_than("1.3.5", 99, in_use) == "1.4.0");
}

TEST_CASE("where one of them is no version, first evidence orders all") {
    environment_record record;
    record.attempts = {
        into_prod("aaaa", promotion_state::merged, 10),
        into_prod("1.0.0", promotion_state::pending, 20)
    };
    CHECK(newer_than("bbbb", 5, record) == "1.0.0");
    CHECK(newer_than("bbbb", 15, record) == "1.0.0");
    CHECK(newer_than("bbbb", 20, record) == "-");
    CHECK(newer_than("bbbb", 25, record) == "-");
    CHECK(newer_than("0.9.0", 25, record) == "-");
    CHECK(newer_than("2.0.0", 5, record) == "1.0.0");

    record.attempts = {into_prod("aaaa", promotion_state::deployed, 10)};
    record.current = facts("aaaa");
    CHECK(newer_than("bbbb", 5, record) == "aaaa");
    CHECK(newer_than("bbbb", 15, record) == "-");
    record.attempts.clear(); // others deployed it: nothing tells which is newer
    CHECK(newer_than("bbbb", 5, record) == "-");
}

TEST_CASE("versions of equal precedence go by first evidence") {
    environment_record record;
    record.attempts = {into_prod("1.0.0+b", promotion_state::pending, 10)};
    CHECK(newer_than("1.0.0+a", 5, record) == "1.0.0+b");
    CHECK(newer_than("1.0.0+a", 15, record) == "-");
}

TEST_CASE("the newest attempt at a release is found in any of its forms") {
    environment_record record;
    record.attempts = {
        into_prod("1.0.0", promotion_state::closed, 1),
        into_prod("1.1.0", promotion_state::pending, 2)
    };
    auto second = into_prod("1.0.0", promotion_state::merged, 3);
    second.id.kind = promotion_kind::rollback;
    record.attempts.push_back(second);
    CHECK(newest_attempt(record, facts("1.0.0"))->id.kind == promotion_kind::rollback);
    const std::string hex = "1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef";
    CHECK(
        newest_attempt(record, facts("1.1.0+1234567890ab", "sha256:" + hex))->id.revision == "1.1.0"
    );
    CHECK(newest_attempt(record, facts("1.2.0")) == nullptr);
}
