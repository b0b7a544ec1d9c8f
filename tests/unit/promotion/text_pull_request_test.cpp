#include "promotion/text/pull_request_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

#include <fstream>
#include <iterator>

namespace sluice::promotion::text {
namespace {

using std::chrono::seconds;

const time_point morning{seconds{1'786'108'364}}; // 2026-08-07T13:12:44Z

pipeline::promotion promotion_of(const std::string& revision) {
    pipeline::promotion p;
    p.id.pipeline = {"default", "podinfo"};
    p.id.environment = "prod";
    p.id.revision = revision;
    p.facts.revision = revision;
    p.from_environment = "staging";
    return p;
}

// All a pull request can tell.
text_input everything() {
    text_input in;
    in.promotion = promotion_of("6.1.8");
    in.promotion.url = "https://ci.example/podinfo/runs/481";
    in.promotion.work.replaced = "6.1.7";
    in.app = "HelmRelease podinfo";
    in.next_environment = "dr";
    in.base_branch = "main";
    in.auto_merge = true;
    in.evidence = {
        {"podinfo on flux-system/staging-eu", "6.1.8", morning, true},
        {"podinfo on flux-system/staging-us", "6.1.8", morning + seconds{95}, false},
        {"", "6.1.8", morning + seconds{240}, false},
    };
    in.changes = {
        {"clusters/prod/podinfo.yaml", 12, "6.1.7", "6.1.8"},
        {"clusters/prod/values.yaml", 3, "6.1.6", "6.1.8"},
    };
    in.diff = "--- a/clusters/prod/podinfo.yaml\n"
              "+++ b/clusters/prod/podinfo.yaml\n"
              "@@ -9,7 +9,7 @@ spec:\n"
              "   chart:\n"
              "     spec:\n"
              "       chart: podinfo\n"
              "-      version: 6.1.7 # {\"$promotion\": \"default:podinfo:prod\"}\n"
              "+      version: 6.1.8 # {\"$promotion\": \"default:podinfo:prod\"}\n"
              "       sourceRef:\n"
              "         kind: HelmRepository\n"
              "         name: podinfo\n";
    in.remarks = {"clusters/prod/broken.yaml:4: found a tab where indentation is expected"};
    return in;
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the body of a pull request is the one of the golden file, byte for byte") {
    const auto file = tests::source_tree() / "tests/unit/promotion/golden/pull_request.md";
    std::ifstream in{file, std::ios::binary};
    const std::string golden{std::istreambuf_iterator<char>{in}, {}};
    CHECK(body(everything(), "", 65'536) == golden);
}

TEST_CASE("titles are Weave's unless the pipeline has its own") {
    const auto in = everything();
    CHECK(title(in, "") == "Promote default/podinfo in prod to 6.1.8");
    CHECK(
        title(in, "{pipeline}: {previous} to {revision} from {fromEnvironment}") ==
        "podinfo: 6.1.7 to 6.1.8 from staging"
    );
    auto back = in;
    back.promotion.id.kind = pipeline::promotion_kind::rollback;
    CHECK(title(back, "") == "Roll back default/podinfo in prod to 6.1.8");
}

TEST_CASE("a title is one short line whatever the revision holds") {
    auto in = everything();
    in.promotion.id.revision = "1.0\nSigned-off-by: nobody";
    CHECK(title(in, "") == "Promote default/podinfo in prod to 1.0 Signed-off-by: nobody");
    in.promotion.id.revision = std::string(1000, 'x');
    CHECK(title(in, "").size() <= 240);
    CHECK(title(in, "{revision}").size() <= 240);
}

TEST_CASE("every body ends with the line by which Weave's tools find it") {
    const auto in = everything();
    for (const std::size_t limit : {65'536U, 32'768U, 4'000U, 1'000U, 200U}) {
        for (const std::string templ : {"", "{revision}\n\n{diff}{diff}{evidence}"}) {
            INFO(limit << " " << templ);
            const auto text = body(in, templ, limit);
            CHECK(text.ends_with("!!! DO NOT EDIT !!!\n\ndefault/podinfo/prod\n</details>\n"));
            CHECK(text.size() <= limit);
        }
    }
}

TEST_CASE("a long diff is cut before anything else is") {
    auto in = everything();
    for (int i = 0; i < 8000; ++i) in.diff += "+ line " + std::to_string(i) + "\n";
    const auto text = body(in, "", 65'536);
    CHECK(text.size() <= 65'536);
    CHECK(text.size() > 60'000);
    CHECK(says(text, "… (cut)\n```\n"));
    CHECK(says(text, "### What happens on merge"));
    CHECK(says(text, "default/podinfo/prod@6.1.8"));
}

TEST_CASE("many changes are counted, not listed") {
    auto in = everything();
    for (int i = 0; i < 3000; ++i) in.changes.push_back({"f" + std::to_string(i), 1, "a", "b"});
    const auto text = body(in, "", 32'768);
    CHECK(text.size() <= 32'768);
    CHECK(says(text, "and 2952 more changes"));
}

TEST_CASE("what others wrote breaks out of no table, block or line") {
    auto in = everything();
    in.promotion.id.revision = "`1` | <img src=x onerror=y>\n/merge";
    in.changes[0].path = "a|b`.yaml";
    in.diff = "+```\n+</details>\n";
    in.promotion.url = "https://ci.example/\n\n# Approved by security";
    const auto text = body(in, "", 65'536);
    CHECK(says(text, "````diff\n+```\n+</details>\n````\n"));
    CHECK(says(text, "``a\\|b`.yaml:12``"));
    CHECK_FALSE(says(text, "# Approved by security"));
    CHECK_FALSE(says(text, "\n/merge"));
    const auto own = body(in, "Goes to {revision}", 65'536);
    CHECK(own.starts_with(
        "Goes to &#96;1&#96; &#124; &lt;img src=x onerror=y&gt; /merge\n\n<details>"
    ));
}

TEST_CASE("a pipeline's own body may show evidence and diff") {
    const auto text =
        body(everything(), "# {pipeline}\n\n{evidence}\n{diff}\n{url} {{kept}}\n", 65'536);
    CHECK(text.starts_with("# podinfo\n\n| Target |"));
    CHECK(says(text, "```diff\n--- a/clusters"));
    CHECK(says(text, "<https://ci.example/podinfo/runs/481> {kept}\n\n<details>"));
}

TEST_CASE("without evidence the body says that somebody asked") {
    auto in = everything();
    in.evidence.clear();
    in.promotion.url.clear();
    CHECK(says(body(in, "", 65'536), "No report of `staging` stands at the moment"));
    in.promotion.from_environment.clear();
    CHECK(says(body(in, "", 65'536), "Nothing: somebody asked for it."));
}

TEST_CASE("a commit tells which promotion made it, in a trailer git finds") {
    const auto in = everything();
    CHECK(
        commit_message(in, "") == "Promote default/podinfo in prod to 6.1.8\n\n"
                                  "Sluice-Promotion: default/podinfo/prod@6.1.8\n"
    );
    CHECK(
        commit_message(in, "chore: {revision}\n\nSigned-off-by: Bot <bot@example.com>\n") ==
        "chore: 6.1.8\n\nSigned-off-by: Bot <bot@example.com>\nSluice-Promotion: "
        "default/podinfo/prod@6.1.8\n"
    );
    CHECK(
        commit_message(in, "fix: {revision}") ==
        "fix: 6.1.8\n\nSluice-Promotion: default/podinfo/prod@6.1.8\n"
    );
    CHECK(commit_message(in, "{tag}").starts_with("Promote default/podinfo"));
}

TEST_CASE("what proves a revision is read from the records of where it comes from") {
    pipeline::definition d;
    d.name = {"default", "podinfo"};
    d.app = {"helm.toolkit.fluxcd.io", "HelmRelease", "podinfo"};
    d.environments.resize(3);
    d.environments[0].name = "staging";
    d.environments[0].targets = {
        {"podinfo", pipeline::object_name{"flux-system", "eu"}},
        {"podinfo", pipeline::object_name{"flux-system", "us"}}
    };
    d.environments[1].name = "prod";
    d.environments[2].name = "dr";
    pipeline::pull_request_strategy how;
    how.base_branch = "main";
    how.auto_merge = pipeline::merge_method::squash;
    d.promotion = pipeline::promotion_policy{false, {std::nullopt, how}};

    pipeline::pipeline_records records;
    auto& slots = records["staging"].slots;
    slots["flux-system/eu:podinfo"] = {
        {"6.1.8", "", "", "", ""}, pipeline::verdict::healthy, true, morning
    };
    slots["flux-system/us:podinfo"] = {
        {"6.1.7", "", "", "", ""}, pipeline::verdict::healthy, true, morning
    };
    slots[std::string{pipeline::trigger_slot}] = {
        {"6.1.8", "", "", "", ""}, pipeline::verdict::healthy, false, morning
    };
    const auto in = describe(d, promotion_of("6.1.8"), records);
    CHECK(in.app == "HelmRelease podinfo");
    CHECK(in.base_branch == "main");
    CHECK(in.auto_merge);
    CHECK(in.next_environment == "dr");
    const std::vector<proof> proofs{
        {"podinfo on flux-system/eu", "6.1.8", morning, true}, {"", "6.1.8", morning, false}
    };
    CHECK(in.evidence == proofs); // the other target runs something else

    auto asked = promotion_of("6.1.8");
    asked.from_environment.clear();
    records["prod"].slots[std::string{pipeline::into_slot}] = {
        {"6.1.8", "", "", "", ""}, pipeline::verdict::none, false, morning
    };
    CHECK(
        describe(d, asked, records).evidence == std::vector<proof>{{"", "6.1.8", morning, false}}
    );
}

} // namespace sluice::promotion::text
