#include "pipeline/schema.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

using nlohmann::json;
using namespace sluice::pipeline;

namespace {

json whole() {
    return json::parse(R"({
        "apiVersion": "pipelines.weave.works/v1alpha1", "kind": "Pipeline",
        "metadata": {"name": "podinfo", "namespace": "team-a", "labels": {"a": "b"}, "generation": 3},
        "spec": {
            "appRef": {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "name": "podinfo"},
            "suspend": true,
            "deny": [{"revision": "6.1.7", "reason": "CVE"}, {"revision": "1.10"}],
            "environments": [
                {"name": "dev", "secretRef": {"name": "dev-events"}, "requiredTargets": "any", "proof": "test",
                 "triggers": false, "suspend": true,
                 "targets": [
                    {"namespace": "podinfo", "clusterRef": {"apiVersion": "x/v1", "kind": "GitopsCluster", "name": "dev", "namespace": "flux-system"}},
                    {"namespace": "podinfo", "clusterRef": {"kind": "GitopsCluster", "name": "dev-2"}}]},
                {"name": "prod", "targets": [{"namespace": "podinfo"}], "promotion": {"strategy": {"notification": {}}}}
            ],
            "promotion": {"manual": true, "strategy": {
                "secretRef": {"name": "promotion-credentials"},
                "pull-request": {"type": "bitbucket-server", "url": "https://git.example.org/scm/org/fleet.git",
                                 "baseBranch": "release/1.x", "secretRef": {"name": "forge-credentials"}}}}
        },
        "status": {"observedGeneration": 3}
    })");
}

definition read(const json& document) {
    auto result = read_pipeline(document);
    if (const auto* mistakes = std::get_if<std::vector<mistake>>(&result)) {
        FAIL(mistakes->front().pointer + ": " + mistakes->front().message);
    }
    return std::get<definition>(std::move(result));
}

} // namespace

TEST_CASE("every field of a Pipeline arrives in its definition") {
    const auto d = read(whole());
    CHECK(d.name.text() == "team-a/podinfo");
    CHECK(d.app.group == "helm.toolkit.fluxcd.io");
    CHECK(d.app.kind == "HelmRelease");
    CHECK(d.app.name == "podinfo");
    CHECK(d.suspend);
    REQUIRE(d.deny.size() == 2);
    CHECK(d.deny[0].reason == "CVE");
    CHECK(d.deny[1].revision == "1.10");
    REQUIRE(d.environments.size() == 2);
    const auto& dev = d.environments[0];
    CHECK(dev.secret == "dev-events");
    CHECK(dev.required == required_targets::any);
    CHECK(dev.proof == proof::test);
    CHECK(!dev.triggers);
    CHECK(dev.suspend);
    REQUIRE(dev.targets.size() == 2);
    CHECK(dev.targets[0].cluster->text() == "flux-system/dev");
    CHECK(dev.targets[1].cluster->text() == "team-a/dev-2"); // the Pipeline's own namespace
    REQUIRE(d.promotion.has_value());
    CHECK(d.promotion->manual);
    CHECK(d.promotion->strategy.secret == "promotion-credentials");
    const auto& how = std::get<pull_request_strategy>(d.promotion->strategy.how);
    CHECK(how.type == forge::bitbucket_server);
    CHECK(how.url == "https://git.example.org/scm/org/fleet.git");
    CHECK(how.base_branch == "release/1.x");
    CHECK(how.secret == "forge-credentials");
}

TEST_CASE("every field of a pull request arrives in its strategy") {
    auto document = whole();
    document["spec"]["promotion"]["strategy"]["pull-request"].update(json::parse(R"({
        "apiURL": "https://git.example.org/api/v3",
        "manifests": [{"path": "prod/podinfo.yaml", "field": "spec.chart.spec.version"}, {"path": "a.yaml", "field": "b"}],
        "title": "{pipeline} {revision}", "body": "{diff}\n{evidence}", "commitMessage": "to {revision}",
        "labels": ["promotion", "prod"], "reviewers": ["alice"],
        "autoMerge": {"method": "squash"}, "onNewer": "replace"})"));
    const auto d = read(document);
    const auto& how = std::get<pull_request_strategy>(d.promotion->strategy.how);
    CHECK(how.api_url == "https://git.example.org/api/v3");
    REQUIRE(how.manifests.size() == 2);
    CHECK(how.manifests[0] == manifest_field{"prod/podinfo.yaml", "spec.chart.spec.version"});
    CHECK(how.title == "{pipeline} {revision}");
    CHECK(how.body == "{diff}\n{evidence}");
    CHECK(how.commit_message == "to {revision}");
    CHECK(how.labels == std::vector<std::string>{"promotion", "prod"});
    CHECK(how.reviewers == std::vector<std::string>{"alice"});
    CHECK_FALSE(how.draft);
    CHECK(how.auto_merge == merge_method::squash);
    CHECK(how.on_newer == on_newer::replace);

    document["spec"]["promotion"]["strategy"]["pull-request"]["autoMerge"] = json::object();
    const auto plain = read(document);
    CHECK(
        std::get<pull_request_strategy>(plain.promotion->strategy.how).auto_merge ==
        merge_method::merge
    );
}

TEST_CASE("every field of a push arrives in its strategy, and its Secret signs no events") {
    auto document = whole();
    document["spec"]["promotion"]["strategy"] = json::parse(R"({"push": {
        "url": "https://git.example.org/fleet", "branch": "main", "secretRef": {"name": "credentials"},
        "manifests": [{"path": "a.yaml", "field": "b"}], "commitMessage": "to {revision}"}})");
    const auto d = read(document);
    const auto& how = std::get<push_strategy>(d.promotion->strategy.how);
    CHECK(how.url == "https://git.example.org/fleet");
    CHECK(how.branch == "main");
    CHECK(how.secret == "credentials");
    CHECK(how.manifests == std::vector<manifest_field>{{"a.yaml", "b"}});
    CHECK(how.commit_message == "to {revision}");
    CHECK_FALSE(d.promotion->strategy.secret);
}

TEST_CASE("what is left out has its default") {
    const auto d = read(whole());
    const auto& prod = d.environments[1];
    CHECK(!prod.secret);
    CHECK(prod.required == required_targets::all);
    CHECK(prod.proof == proof::release);
    CHECK(prod.triggers);
    CHECK(!prod.suspend);
    CHECK(!prod.targets[0].cluster);
    REQUIRE(prod.promotion.has_value());
    CHECK(!prod.promotion->manual);
    CHECK(std::holds_alternative<notification_strategy>(prod.promotion->strategy.how));
}

TEST_CASE("a Pipeline without a namespace is in default, as kubectl has it") {
    auto document = whole();
    document["metadata"].erase("namespace");
    CHECK(read(document).name.ns == "default");
}

TEST_CASE("a Pipeline without promotion is read: it records what it hears") {
    auto document = whole();
    document["spec"].erase("promotion");
    document["spec"]["environments"][1].erase("promotion");
    CHECK(!read(document).promotion);
}

TEST_CASE("null is absent, as Kubernetes has it") {
    auto document = whole();
    document["spec"]["promotion"] = nullptr;
    document["spec"]["environments"][0]["secretRef"] = nullptr;
    document["spec"]["suspend"] = nullptr;
    const auto d = read(document);
    CHECK(!d.promotion);
    CHECK(!d.environments[0].secret);
    CHECK(!d.suspend);
}

TEST_CASE("a local repository needs no Secret") {
    auto document = whole();
    auto& how = document["spec"]["promotion"]["strategy"]["pull-request"];
    how = {{"type", "git"}, {"url", "file:///srv/fleet.git"}, {"baseBranch", "main"}};
    const auto d = read(document);
    CHECK(std::get<pull_request_strategy>(d.promotion->strategy.how).secret.empty());
}

TEST_CASE("repositories over https, http and file are accepted") {
    for (const auto* url :
         {"https://github.com/org/fleet",
          "http://gitea.local:3000/org/fleet.git",
          "file:///srv/fleet.git",
          "https://gitlab.com/a/b/c/d"}) {
        auto document = whole();
        document["spec"]["promotion"]["strategy"]["pull-request"]["url"] = url;
        CHECK(std::holds_alternative<definition>(read_pipeline(document)));
    }
}

TEST_CASE("names of environments that work in a URL, a marker and a branch are accepted") {
    for (const auto* name : {"dev", "Production", "eu-west_1", "1", "a.b"}) {
        auto document = whole();
        document["spec"]["environments"][0]["name"] = name;
        CHECK(read(document).environments[0].name == name);
    }
}

TEST_CASE("a Pipeline of ours is known also in its older and misspelt forms, another's is not") {
    const auto known = [](const char* version, const char* kind) {
        return is_pipeline({{"apiVersion", version}, {"kind", kind}});
    };
    CHECK(known("pipelines.weave.works/v1alpha1", "Pipeline"));
    CHECK(known("pipelines.wego.weave.works/v1alpha1", "Pipeline"));
    CHECK(known("pipelines.weave.works/v1alpha1", "pipeline"));
    CHECK(is_pipeline({{"kind", "Pipeline"}}));
    CHECK(!known("tekton.dev/v1", "Pipeline"));
    CHECK(!known("pipelines.weave.works/v1alpha1", "PipelineTemplate"));
    CHECK(!is_pipeline(json::array()));
    CHECK(!is_pipeline({{"apiVersion", 1}, {"kind", 2}}));
}

TEST_CASE("the objects of a List are found with their pointers") {
    const json list{{"kind", "List"}, {"items", {{{"kind", "A"}}, {{"kind", "B"}}}}};
    const auto objects = objects_in(list);
    REQUIRE(objects.size() == 2);
    CHECK(objects[1].pointer == "/items/1");
    CHECK((*objects[1].value)["kind"] == "B");
    CHECK(objects_in({{"kind", "Pipeline"}}).front().pointer.empty());
    CHECK(objects_in("text").size() == 1);
}
