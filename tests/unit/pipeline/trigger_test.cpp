#include "base/rfc3339.hpp"
#include "pipeline/trigger.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/fixture.hpp"
#include "tests/unit/pipeline/world.hpp"

using namespace sluice;
using namespace sluice::pipeline;

TEST_CASE("a trigger carries its claim and what is known of the revision") {
    const auto event = parse_trigger(
        R"({"revision":"1.2.3","timestamp":"2026-08-07T13:12:44.5+02:00","image":"example/app","tag":"1.2.3",)"
        R"("digest":"sha256:abc","url":"https://ci.example/run/5","metadata":{"author":"a person"}})",
        std::nullopt
    );
    REQUIRE(event.has_value());
    CHECK(event->source == evidence_source::trigger);
    CHECK(event->verdict == verdict::healthy);
    CHECK_FALSE(event->into);
    CHECK_FALSE(event->object);
    CHECK(event->facts.revision == "1.2.3");
    CHECK(event->facts.image == "example/app");
    CHECK(event->facts.tag == "1.2.3");
    CHECK(event->facts.digest == "sha256:abc");
    CHECK(event->url == "https://ci.example/run/5");
    CHECK(format_rfc3339(event->signed_at) == "2026-08-07T11:12:44.500Z");
}

TEST_CASE("a trigger into an environment says so") {
    const auto into = parse_trigger(
        R"({"revision":"1","timestamp":"2026-08-07T13:12:44Z","into":true})", std::nullopt
    );
    REQUIRE(into.has_value());
    CHECK(into->into);
}

TEST_CASE("a trigger's time is the signature's, else the body's, and never missing") {
    const auto header = at(0);
    const auto without = parse_trigger(R"({"revision":"1"})", header);
    REQUIRE(without.has_value());
    CHECK(without->signed_at == header);
    const auto both =
        parse_trigger(R"({"revision":"1","timestamp":"2026-08-07T13:12:44Z"})", header);
    REQUIRE(both.has_value());
    CHECK(both->signed_at == header);
    const auto none = parse_trigger(R"({"revision":"1","timestamp":null})", std::nullopt);
    REQUIRE_FALSE(none.has_value());
    CHECK(
        none.error().detail ==
        "/timestamp: is missing; only a Standard Webhooks signature brings its own time"
    );
    CHECK_FALSE(parse_trigger(R"({"revision":"1","timestamp":"soon"})", header).has_value());
}

TEST_CASE("a mistake in a trigger is told with its JSON path") {
    struct row {
        const char* body;
        errc code;
        const char* told;
    };
    const row rows[] = {
        {R"({"revision":"1","timestamp":"2026-08-07T13:12:44Z","Into":true})",
         errc::invalid_argument,
         "/Into: is not known in a trigger, which has revision, timestamp, into, image, tag, "
         "digest, url, metadata"},
        {R"({"revision":"1","timestamp":"2026-08-07T13:12:44Z","severity":"info"})",
         errc::invalid_argument,
         "/severity: is not known in a trigger, which has revision, timestamp, into, image, tag, "
         "digest, url, metadata"},
        {R"({"revision":1})", errc::invalid_argument, "/revision: must be a string, is a number"},
        {R"({"revision":"1","into":"true"})",
         errc::invalid_argument,
         "/into: must be true or false, is a string"},
        {R"({"revision":"1","tag":[]})",
         errc::invalid_argument,
         "/tag: must be a string, is an array"},
        {R"({"revision":"1","metadata":"x"})",
         errc::invalid_argument,
         "/metadata: must be an object of strings"},
        {R"({"revision":"1","metadata":{"a":1}})",
         errc::invalid_argument,
         "/metadata/a: must be a string, is a number"},
        {R"({"revision":"a b"})",
         errc::invalid_argument,
         "/revision: must not hold blanks or control characters"},
        {R"({"revision":"1","revision":"2"})", errc::invalid_argument, "/revision: is there twice"},
        {R"({})",
         errc::unprocessable,
         "/revision: is missing; a trigger names what it carries on, a Flux event has "
         "/involvedObject"},
        {R"({"revision":""})",
         errc::unprocessable,
         "/revision: is missing; a trigger names what it carries on, a Flux event has "
         "/involvedObject"},
    };
    for (const auto& r : rows) {
        INFO(r.body);
        const auto event = parse_event(r.body, std::nullopt);
        REQUIRE_FALSE(event.has_value());
        CHECK(event.error().code == r.code);
        CHECK(event.error().detail == r.told);
    }
}

TEST_CASE("an event is a Flux event when it has an involved object, wherever that stands") {
    const auto flux = parse_event(event_fixture("helm-v2-upgrade-succeeded"), std::nullopt);
    REQUIRE(flux.has_value());
    CHECK(flux->source == evidence_source::flux);

    // Members a trigger knows mean nothing in a Flux event, whatever their type.
    auto text = event_fixture("helm-v2-upgrade-succeeded");
    text.insert(1, R"("revision":5,"into":true,)");
    const auto mixed = parse_event(text, std::nullopt);
    REQUIRE(mixed.has_value());
    CHECK(mixed->facts.revision == "6.1.8");
    CHECK_FALSE(mixed->into);

    const auto last = parse_event(R"({"revision":"1","involvedObject":{}})", std::nullopt);
    REQUIRE_FALSE(last.has_value());
    CHECK(last.error().detail == "/involvedObject/apiVersion: is missing");
}
