#include "promotion/git/advertisement.hpp"
#include "promotion/git/pkt_line.hpp"
#include "promotion/git/receive_pack.hpp"
#include "tests/support/catch.hpp"

using namespace sluice;
using namespace sluice::promotion::git;
using Catch::Matchers::Contains;

namespace {

std::string pkts(const std::vector<std::string>& lines) {
    std::string out;
    for (const auto& line : lines) {
        if (line.empty()) {
            out += flush_pkt;
        } else {
            append_pkt(out, line);
        }
    }
    return out;
}

const std::string one(40, '1');
const std::string two(40, '2');
const std::vector<ref_update> updates{{"a", "", one}, {"b", one, two}};

// As servers send it: the report inside channel 1, remarks on channel 2.
std::string sideband(const std::string& report, const std::string& remark = "") {
    std::vector<std::string> lines;
    if (!remark.empty()) lines.push_back("\2" + remark);
    // In two pieces, as it may come.
    lines.push_back("\1" + report.substr(0, 7));
    lines.push_back("\1" + report.substr(7));
    lines.emplace_back();
    return pkts(lines);
}

} // namespace

TEST_CASE("the branches of an advertisement are read, and nothing else in it") {
    const auto heads = read_advertisement(pkts(
        {"# service=git-upload-pack\n",
         "",
         one + " HEAD" + std::string{'\0'} + "multi_ack side-band-64k\n",
         one + " refs/heads/main\n",
         two + " refs/heads/feature/x\n",
         two + " refs/tags/v1\n",
         one + " refs/tags/v1^{}\n",
         two + " refs/pull/1/head\n",
         ""}
    ));
    REQUIRE(heads.has_value());
    CHECK(*heads == branch_tips{{"main", one}, {"feature/x", two}});
    const auto empty = read_advertisement(pkts(
        {"# service=git-upload-pack\n",
         "",
         std::string(40, '0') + " capabilities^{}" + std::string{'\0'} + "agent=x\n",
         ""}
    ));
    REQUIRE(empty.has_value());
    CHECK(empty->empty());
}

TEST_CASE("an advertisement that was cut off is told, so that no branch seems to be gone") {
    const auto whole = pkts(
        {"# service=git-upload-pack\n", "", one + " refs/heads/main\n", one + " refs/heads/x\n", ""}
    );
    for (std::size_t n = 0; n < whole.size(); ++n) {
        const auto out = read_advertisement(whole.substr(0, n));
        INFO(n);
        REQUIRE(!out.has_value());
        CHECK(out.error().code == errc::unavailable);
    }
    CHECK(!read_advertisement("zzzz").has_value());
    CHECK(!read_advertisement("0003").has_value());
    CHECK(!read_advertisement("ffff").has_value());
    const auto said = read_advertisement(pkts({"ERR repository is locked"}));
    REQUIRE(!said.has_value());
    CHECK_THAT(said.error().message, Contains("repository is locked"));
}

TEST_CASE("what the server says about each branch is read, with its remarks") {
    const auto report = pkts(
        {"unpack ok\n", "ok refs/heads/a\n", "ng refs/heads/b protected branch hook declined\n", ""}
    );
    for (const auto& answer : {sideband(report, "error: GH006\n"), report}) {
        const auto out = read_report(answer, updates);
        REQUIRE(out.has_value());
        CHECK(out->at(0).done);
        CHECK(!out->at(1).done);
        CHECK_THAT(out->at(1).message, Contains("protected branch hook declined"));
        CHECK(!out->at(1).unwell);
    }
    CHECK_THAT(
        read_report(sideband(report, "error: GH006\n"), updates).value().at(1).message,
        Contains("GH006")
    );
}

TEST_CASE("a pack that was not unpacked did nothing, whatever else is said") {
    const auto out = read_report(
        sideband(pkts(
            {"unpack index-pack abnormal exit\n",
             "ok refs/heads/a\n",
             "ng refs/heads/b unpacker error\n",
             ""}
        )),
        updates
    );
    REQUIRE(out.has_value());
    CHECK(!out->at(0).done);
    CHECK(out->at(0).message == "index-pack abnormal exit");
    CHECK(out->at(1).message == "unpacker error");
    for (const auto& status : *out) CHECK(status.unwell);
}

TEST_CASE("a branch the report is silent about is not done") {
    const auto out = read_report(sideband(pkts({"unpack ok\n", "ok refs/heads/a\n", ""})), updates);
    REQUIRE(out.has_value());
    CHECK(out->at(0).done);
    CHECK(!out->at(1).done);
}

TEST_CASE("an answer without a report is no success") {
    for (const std::string answer : {"", "0000", "zzzz", "00"}) {
        const auto out = read_report(answer, updates);
        INFO(answer);
        REQUIRE(!out.has_value());
        CHECK(out.error().code == errc::unavailable);
    }
    const auto fatal = read_report(pkts({"\3fatal: out of disk\n"}), updates);
    REQUIRE(fatal.has_value());
    CHECK(!fatal->at(0).done);
    CHECK_THAT(fatal->at(0).message, Contains("out of disk"));
    CHECK(fatal->at(0).unwell);
    const auto refused = read_report(pkts({"ERR this repository is read only\n"}), updates);
    REQUIRE(refused.has_value());
    CHECK_THAT(refused->at(0).message, Contains("read only"));
    CHECK(!refused->at(0).unwell);
}

TEST_CASE("no prefix of a report makes a refused branch look done") {
    const auto answer =
        sideband(pkts({"unpack ok\n", "ok refs/heads/a\n", "ng refs/heads/b no\n", ""}), "remark");
    for (std::size_t n = 0; n < answer.size(); ++n) {
        const auto out = read_report(answer.substr(0, n), updates);
        if (out) CHECK(!out->at(1).done);
    }
}
