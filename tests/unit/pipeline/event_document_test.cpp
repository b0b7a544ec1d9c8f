#include "pipeline/event_document.hpp"
#include "pipeline/trigger.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/fixture.hpp"

using namespace sluice;
using namespace sluice::pipeline;

namespace {

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

} // namespace

TEST_CASE("a body that is not one JSON object is refused") {
    for (const std::string& body : {
             std::string{},
             std::string{" "},
             std::string{"null"},
             std::string{"true"},
             std::string{"5"},
             std::string{"\"text\""},
             std::string{"[]"},
             std::string{"[{}]"},
             std::string{"incompatible"},
             std::string{"{"},
             std::string{"{} {}"},
             std::string{"{}x"},
             std::string{"{\"a\":1,}"},
             std::string{"{'a':1}"},
             std::string{"{\"a\":01}"},
             std::string{"{\"a\":NaN}"},
             std::string{"{\"a\":1e999}"},
             std::string{"{\"a\":\"\xff\"}"},
             std::string{"{\"a\":\"\xc3\"}"},
             std::string{"{\"a\":\"\xed\xa0\x80\"}"},
             std::string{"{\"\xc0\xaf\":1}"},
             std::string{"{\"a\":\"\\ud800\"}"},
             std::string{"{\"a\":\"line\nbreak\"}"},
             std::string{"{}\0", 3},
         }) {
        INFO(body);
        const auto document = read_event_document(body);
        REQUIRE_FALSE(document.has_value());
        CHECK(document.error().code == errc::invalid_argument);
        CHECK(document.error().detail.starts_with("body: "));
    }
}

TEST_CASE("an event cut at any byte is refused") {
    const auto whole = event_fixture("helm-v2-upgrade-succeeded");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const auto event = parse_event(std::string_view{whole}.substr(0, length), std::nullopt);
        if (event.has_value()) FAIL("accepted the first " << length << " bytes");
        if (event.error().code != errc::invalid_argument) FAIL("wrong error at " << length);
    }
    CHECK(parse_event(whole, std::nullopt).has_value());
}

TEST_CASE("nesting is limited to 64 levels and does not cost the stack") {
    const auto nested = [](std::size_t levels) {
        return R"({"a":)" + repeated("[", levels - 1) + repeated("]", levels - 1) + "}";
    };
    CHECK(read_event_document(nested(64)).has_value());
    const auto deeper = read_event_document(nested(65));
    REQUIRE_FALSE(deeper.has_value());
    CHECK(deeper.error().detail == "body: is nested deeper than 64");
    CHECK_FALSE(read_event_document(R"({"a":)" + repeated("[", 1'000'000)).has_value());
    CHECK_FALSE(read_event_document(repeated(R"({"a":)", 500'000)).has_value());
}

TEST_CASE("numbers of any size are numbers, and refused where a string belongs") {
    for (const auto* number : {"1", "-1", "18446744073709551616", "1e300", "0.1", "-0"}) {
        const auto document = read_event_document(R"({"revision":)" + std::string{number} + "}");
        REQUIRE(document.has_value());
        const auto revision = document->body.text("revision");
        REQUIRE_FALSE(revision.has_value());
        CHECK(revision.error().detail == "/revision: must be a string, is a number");
    }
    CHECK_FALSE(read_event_document("{\"a\":" + repeated("9", 5000) + "e9}").has_value());
}

TEST_CASE("only members of the body, the object and the metadata are kept") {
    const auto document = read_event_document(
        R"({"a":{"name":"no"},"involvedObject":{"x":{"name":"no"},"name":"yes","y":[{"kind":"no"}],"kind":"yes"},)"
        R"("metadata":{"revision":"yes"},"list":[{"revision":"no"},"no"],"into":true})"
    );
    REQUIRE(document.has_value());
    CHECK(*document->involved_object.required_text("name") == "yes");
    CHECK(*document->involved_object.required_text("kind") == "yes");
    CHECK(*document->metadata.required_text("revision") == "yes");
    CHECK(document->body.find("name") == nullptr);
    CHECK(document->body.find("revision") == nullptr);
    CHECK(document->body.find("list")->type == json_type::array);
    CHECK(*document->body.flag("into") == true);
    CHECK(document->involved_object.all().size() == 4);
}

TEST_CASE("an object with very many members is refused before it costs much") {
    const auto with_members = [](int count) {
        std::string body = "{\"metadata\":{";
        for (int i = 0; i < count; ++i)
            body += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":\"v\"";
        return body + "}}";
    };
    CHECK(read_event_document(with_members(256)).has_value());
    const auto more = read_event_document(with_members(200'000));
    REQUIRE_FALSE(more.has_value());
    CHECK(more.error().detail == "body: has an object with more than 256 members");
}

TEST_CASE("what the sender wrote is not repeated in the answer to broken JSON") {
    const auto document = read_event_document(R"({"token":"s3cr3t-canary)");
    REQUIRE_FALSE(document.has_value());
    CHECK(document.error().message.find("canary") == std::string::npos);
    CHECK(document.error().detail.find("canary") == std::string::npos);
}
