#include "tests/unit/promotion/executor_forge.hpp"

using namespace sluice;
using namespace sluice::tests;

namespace {

const std::string first = "default/podinfo/staging@1.1.0";

result<promotion::preview> foresee(executor_world& w, const std::string& version) {
    return get(
        w.executor->foresee(w.pipelines.find("default", "podinfo"), "staging", revision(version))
    );
}

void suspend(executor_world& w, bool so) {
    w.rewrite([so](pipeline::definition& d) { d.suspend = so; });
}

} // namespace

TEST_CASE("a preview shows diff and text, and touches nothing") {
    executor_world w;
    w.set_up();
    w.start();
    const auto seen = foresee(w, "1.1.0");
    REQUIRE(seen.has_value());
    CHECK(seen->diff.find("+  version: 1.1.0") != std::string::npos);
    CHECK(seen->title == "Promote default/podinfo in staging to 1.1.0");
    CHECK(seen->branch == into_staging);
    CHECK(w.origin.tip(into_staging).empty());
    CHECK(get(w.ledger->list({}))->empty());
}

TEST_CASE("a preview is word for word what is then opened, with the facts the reports know") {
    forge_world w;
    w.origin.write(
        "app.yaml", "app: 8.0 # {\"$promotion\": \"default:podinfo:staging:app-version\"}\n"
    );
    w.begin();
    suspend(w, true); // it is heard, and nothing starts
    w.report("1.1.0", "dev", "podinfo", [](auto& event) { event.facts.app_version = "9.9.1"; });
    suspend(w, false);
    const auto seen = foresee(w, "1.1.0");
    REQUIRE(seen.has_value());
    CHECK_THAT(seen->diff, Catch::Contains("+app: 9.9.1"));
    w.promote("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    const auto opened = w.forge.only();
    CHECK(seen->title == opened.seen.title);
    CHECK(seen->body == opened.seen.body);
    CHECK(seen->branch == opened.head);
    for (const auto* file : {"app.yaml", "podinfo/staging.yaml"}) {
        CHECK_THAT(seen->diff, Catch::Contains(std::string{"+++ b/"} + file));
    }
}

TEST_CASE("what promoting is refused for, its preview is refused for") {
    executor_world w;
    w.set_up();
    w.start();
    const auto refusal = [&] {
        const auto seen = foresee(w, "1.1.0");
        return seen ? std::string{} : seen.error().message;
    };
    suspend(w, true);
    CHECK_THAT(refusal(), Catch::Contains("suspended"));
    suspend(w, false);
    w.rewrite([](pipeline::definition& d) { d.deny.push_back({"1.1.0", "CVE-2026-0001"}); });
    CHECK_THAT(refusal(), Catch::Contains("CVE-2026-0001"));
    w.rewrite([](pipeline::definition& d) { d.deny.clear(); });
    w.prove("1.2.0");
    w.reach("default/podinfo/staging@1.2.0", promotion_state::pull_request_open);
    CHECK_THAT(refusal(), Catch::Contains("older"));
    const auto same = foresee(w, "1.2.0");
    REQUIRE_FALSE(same.has_value());
    CHECK_THAT(same.error().message, Catch::Contains("would change nothing"));
}
