#include "pipeline/trigger.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

// What senders set up for Weave's pipeline-controller meet: its promotion handler's cases, as far as the core's.
// Fixture there: Pipeline default/app, environments dev, prod, no-targets, HelmRelease v2beta1 "app", revision 5.0.0.
using namespace sluice;
using namespace sluice::pipeline;

namespace {

using enum verdict_on_event;

definition weave_pipeline() {
    auto d = make_pipeline();
    d.name = {"default", "app"};
    d.app = {"helm.toolkit.fluxcd.io", "HelmRelease", "app"};
    d.environments = {
        make_environment("dev", {on("default")}),
        make_environment("prod", {on("default")}),
        make_environment("no-targets", {}),
    };
    return d;
}

std::string
body(const std::string& object = {}, const std::string& metadata = R"({"revision":"5.0.0"})") {
    const std::string usual =
        R"({"kind":"HelmRelease","namespace":"default","name":"app","apiVersion":"helm.toolkit.fluxcd.io/v2beta1"})";
    return R"({"involvedObject":)" + (object.empty() ? usual : object) +
           R"(,"severity":"info","timestamp":"2026-08-07T13:12:44Z","message":"Helm upgrade succeeded",)" +
           R"("reason":"info","metadata":)" + metadata +
           R"(,"reportingController":"helm-controller"})";
}

struct answer {
    errc error{};
    std::string text;
    std::optional<decision> decided;
};

answer post(const definition& pipeline, const std::string& environment, const std::string& sent) {
    const auto event = parse_event(sent, std::nullopt);
    if (!event) return {event.error().code, event.error().detail, {}};
    const auto a = match(std::make_shared<const definition>(pipeline), environment, *event);
    if (!a) return {a.error().code, a.error().detail, {}};
    auto d = decide(*a, {}, event->signed_at, event->signed_at);
    return {errc::internal, d.reason, std::move(d)};
}

} // namespace

TEST_CASE("weave 3 and 4: no body and a body that is not JSON are invalid") {
    CHECK(post(weave_pipeline(), "dev", "").error == errc::invalid_argument);
    CHECK(post(weave_pipeline(), "dev", "incompatible").error == errc::invalid_argument);
}

TEST_CASE("weave 7: an object that differs in name, namespace, group or kind is refused") {
    const auto refused = [](const std::string& object) {
        const auto a = post(weave_pipeline(), "dev", body(object));
        CHECK(a.error == errc::unprocessable);
        CHECK(a.text.starts_with("involved object does not match Pipeline definition"));
    };
    refused(
        R"({"kind":"HelmRelease","namespace":"default","name":"x","apiVersion":"helm.toolkit.fluxcd.io/v2beta1"})"
    );
    refused(
        R"({"kind":"HelmRelease","namespace":"x","name":"app","apiVersion":"helm.toolkit.fluxcd.io/v2beta1"})"
    );
    refused(
        R"({"kind":"HelmRelease","namespace":"default","name":"app","apiVersion":"x.toolkit.fluxcd.io/v2beta1"})"
    );
    refused(
        R"({"kind":"x","namespace":"default","name":"app","apiVersion":"helm.toolkit.fluxcd.io/v2beta1"})"
    );
}

TEST_CASE(
    "weave 7, on purpose otherwise: another API version of the same group is the same application"
) {
    const auto a = post(
        weave_pipeline(),
        "dev",
        body(
            R"({"kind":"HelmRelease","namespace":"default","name":"app","apiVersion":"helm.toolkit.fluxcd.io/v2"})"
        )
    );
    REQUIRE(a.decided);
    CHECK(a.decided->what == promote);
}

TEST_CASE(
    "weave 8, on purpose otherwise: an event from the last environment is recorded, not refused"
) {
    auto d = weave_pipeline();
    d.environments.pop_back();
    const auto a = post(d, "prod", body());
    REQUIRE(a.decided);
    CHECK(a.decided->what == record);
    CHECK(a.text == "5.0.0 is healthy in prod, the last environment");
}

TEST_CASE("weave 9, on purpose otherwise: a next environment without targets is told in the record"
) {
    const auto a = post(weave_pipeline(), "prod", body());
    REQUIRE(a.decided);
    CHECK(a.decided->what == record);
    CHECK(a.text == "5.0.0 is healthy in prod, but environment no-targets has no targets");
}

TEST_CASE("weave 10: an unknown environment is refused in Weave's words") {
    const auto a = post(weave_pipeline(), "foo", body());
    CHECK(a.error == errc::unprocessable);
    CHECK(a.text == "app default/app has no environment foo defined");
}

TEST_CASE("weave 11: a success without a revision is refused in Weave's words") {
    for (const auto* metadata : {"null", "{}", R"({"revision":""})"}) {
        const auto a = post(weave_pipeline(), "dev", body({}, metadata));
        CHECK(a.error == errc::unprocessable);
        CHECK(a.text.starts_with("event has no 'revision' in the metadata field."));
    }
    CHECK(post(weave_pipeline(), "dev", "{}").error == errc::unprocessable);
}

TEST_CASE("weave 12: a success is carried into prod with its revision") {
    const auto a = post(weave_pipeline(), "dev", body());
    REQUIRE(a.decided);
    CHECK(a.decided->what == promote);
    CHECK(a.decided->promotion->text() == "default/app/prod@5.0.0");
}

TEST_CASE("weave 15, on purpose otherwise: without a promotion block the event is recorded") {
    auto d = weave_pipeline();
    d.promotion.reset();
    const auto a = post(d, "dev", body());
    REQUIRE(a.decided);
    CHECK(a.decided->what == record);
}

TEST_CASE("weave 17: a manual promotion waits for approval of this revision in prod") {
    auto d = weave_pipeline();
    d.promotion->manual = true;
    const auto a = post(d, "dev", body());
    REQUIRE(a.decided);
    CHECK(a.decided->what == await_approval);
    CHECK(a.decided->promotion->text() == "default/app/prod@5.0.0");
}

TEST_CASE("weave, untested there: the environment's own block counts, an error promotes nothing") {
    auto d = weave_pipeline();
    d.environments[1].promotion = d.promotion;
    d.environments[1].promotion->manual = true;
    d.promotion.reset();
    CHECK(post(d, "dev", body()).decided->what == await_approval);

    auto sent = body();
    sent.replace(sent.find(R"("severity":"info")"), 17, R"("severity":"error")");
    sent.replace(sent.find(R"("reason":"info")"), 15, R"("reason":"UpgradeFailed")");
    CHECK(post(weave_pipeline(), "dev", sent).decided->what == record);
}
