#include "pipeline/schema.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using nlohmann::json;
using namespace sluice::pipeline;

namespace {

json whole() {
    return json::parse(R"({
        "apiVersion": "pipelines.weave.works/v1alpha1", "kind": "Pipeline",
        "metadata": {"name": "podinfo", "namespace": "default"},
        "spec": {
            "appRef": {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "name": "podinfo"},
            "environments": [
                {"name": "dev", "targets": [{"namespace": "podinfo", "clusterRef": {"kind": "GitopsCluster", "name": "dev"}}]},
                {"name": "prod", "targets": [{"namespace": "podinfo"}]}
            ],
            "promotion": {"strategy": {
                "secretRef": {"name": "promotion-credentials"},
                "pull-request": {"type": "github", "url": "https://github.com/org/fleet", "baseBranch": "main",
                                 "secretRef": {"name": "promotion-credentials"}}}}
        }
    })");
}

std::vector<mistake> mistakes_of(const json& document) {
    auto result = read_pipeline(document);
    if (auto* mistakes = std::get_if<std::vector<mistake>>(&result)) return *mistakes;
    return {};
}

const std::string how = "/spec/promotion/strategy/pull-request";
const std::string remove_it = "(remove)";

struct row {
    std::string changed; // JSON pointer
    json to;             // remove_it: the field is taken out
    std::string pointer; // where the one mistake is told
    std::string message;
    std::string remedy;
};

void check(const std::vector<row>& rows) {
    for (const auto& row : rows) {
        INFO(row.changed << " = " << row.to.dump());
        auto document = whole();
        const json::json_pointer pointer{row.changed};
        if (row.to == remove_it) {
            document[pointer.parent_pointer()].erase(pointer.back());
        } else {
            document[pointer] = row.to;
        }
        const auto mistakes = mistakes_of(document);
        REQUIRE(mistakes.size() == 1);
        CHECK(mistakes[0].pointer == row.pointer);
        CHECK_THAT(mistakes[0].message, Catch::Contains(row.message));
        CHECK_THAT(mistakes[0].remedy, Catch::Contains(row.remedy));
    }
}

} // namespace

TEST_CASE("what the CRD lets slip is a mistake") {
    check({
        {"/spec/environments",
         json::array(),
         "/spec/environments",
         "no environments",
         "list the environments"},
        {"/spec/environments/1/name",
         "dev",
         "/spec/environments/1/name",
         "\"dev\" is there twice, also as item 1",
         "its own name"},
        {"/spec/environments/1/name", "", "/spec/environments/1/name", "name is empty", "dev"},
        {"/spec/environments/1/name", "a/b", "/spec/environments/1/name", "\"a/b\"", "URL"},
        {"/spec/environments/1/name", "a:b", "/spec/environments/1/name", "\"a:b\"", "URL"},
        {"/spec/environments/1/name", "..", "/spec/environments/1/name", "\"..\"", "URL"},
        {"/spec/environments/1/name", "x.lock", "/spec/environments/1/name", "x.lock", ".lock"},
        {"/spec/environments/1/name", "pröd", "/spec/environments/1/name", "pröd", "letters"},
        {"/spec/environments/1/targets",
         json::array(),
         "/spec/environments/1/targets",
         "no targets",
         "add targets"},
        {"/spec/environments/1/targets/0/namespace",
         "Pod",
         "/spec/environments/1/targets/0/namespace",
         "\"Pod\"",
         "lower-case"},
        {"/spec/environments/0/targets/0/clusterRef/kind",
         "Cluster",
         "/spec/environments/0/targets/0/clusterRef/kind",
         "\"Cluster\"",
         "GitopsCluster"},
        {"/spec/promotion/strategy/notification",
         json::object(),
         "/spec/promotion/strategy",
         "two strategies",
         "keep one"},
        {how, remove_it, "/spec/promotion/strategy", "no strategy", "notification: {}"},
        {"/spec/promotion",
         json::object(),
         "/spec/promotion/strategy",
         "strategy is missing",
         "add strategy"},
        {"/metadata/name", "Pod_Info", "/metadata/name", "\"Pod_Info\"", "lower-case"},
        {"/metadata/namespace", "a.b", "/metadata/namespace", "\"a.b\"", "lower-case"},
        {"/metadata/namespace", "", "/metadata/namespace", "namespace is empty", "remove the field"
        },
        {"/spec/appRef/apiVersion",
         "",
         "/spec/appRef/apiVersion",
         "is empty",
         "helm.toolkit.fluxcd.io/v2"},
        {"/spec/appRef/apiVersion",
         "helm.toolkit.fluxcd.io/",
         "/spec/appRef/apiVersion",
         "cannot be",
         "GROUP/VERSION"},
    });
}

TEST_CASE("what is missing is told where it belongs") {
    check({
        {"/metadata", remove_it, "/metadata", "metadata is missing", "name and namespace"},
        {"/metadata/name", remove_it, "/metadata/name", "name is missing", "name"},
        {"/spec", remove_it, "/spec", "spec is missing", "appRef"},
        {"/spec/appRef", remove_it, "/spec/appRef", "appRef is missing", "kind: HelmRelease"},
        {"/spec/appRef/kind", remove_it, "/spec/appRef/kind", "kind is missing", "HelmRelease"},
        {"/spec/environments", remove_it, "/spec/environments", "environments is missing", "order"},
        {"/spec/environments/0/targets",
         remove_it,
         "/spec/environments/0/targets",
         "targets is missing",
         "add targets"},
        {how + "/type", remove_it, how + "/type", "type is missing", "github"},
        {how + "/url", remove_it, how + "/url", "url is missing", "https://"},
        {how + "/baseBranch",
         remove_it,
         how + "/baseBranch",
         "baseBranch is missing",
         "baseBranch: main"},
        {how + "/secretRef",
         remove_it,
         how + "/secretRef",
         "secretRef is missing",
         "secretRef: {name"},
        {"/spec/promotion/strategy/secretRef/name",
         remove_it,
         "/spec/promotion/strategy/secretRef/name",
         "name is missing",
         "Secret"},
    });
}

TEST_CASE("a feature that does not exist yet is refused, never ignored") {
    std::vector<row> rows{
        {"/spec/promotion/approvals",
         {{"required", 2}},
         "/spec/promotion/approvals",
         "approvals is not supported yet",
         "remove"},
        {"/spec/promotion/gates",
         json::array(),
         "/spec/promotion/gates",
         "gates is not supported yet",
         "remove"},
        {"/spec/promotion/rollback",
         json::object(),
         "/spec/promotion/rollback",
         "rollback is not supported yet",
         "remove"},
        {how + "/type", "azure-devops", how + "/type", "azure-devops is not supported yet", "git"},
        {how + "/type",
         "bitbucket-cloud",
         how + "/type",
         "bitbucket-cloud is not supported yet",
         "git"},
    };
    check(rows);
}

TEST_CASE("what is wrong about a pull request's text, files and merge is told with what to write") {
    check({
        {how + "/apiURL", "ftp://x/api", how + "/apiURL", "must begin with https://", "https://HOST"
        },
        {how + "/apiURL", "https:///v3", how + "/apiURL", "names no host", "https://HOST"},
        {how + "/apiURL", "https://a:b@host/v3", how + "/apiURL", "credentials", "Secret"},
        {how + "/apiURL", "https://host/v3?x", how + "/apiURL", "query", "remove"},
        {how + "/manifests", "x.yaml", how + "/manifests", "must be a list", "- "},
        {how + "/manifests",
         json::parse(R"([{"field": "a.b"}])"),
         how + "/manifests/0/path",
         "path is missing",
         "prod/podinfo.yaml"},
        {how + "/manifests",
         json::parse(R"([{"path": "a.yaml"}])"),
         how + "/manifests/0/field",
         "field is missing",
         "spec.chart.spec.version"},
        {how + "/manifests",
         json::parse(R"([{"path": "/etc/x", "field": "a"}])"),
         how + "/manifests/0/path",
         "/etc/x",
         "root of the repository"},
        {how + "/manifests",
         json::parse(R"([{"path": "a/../x", "field": "a"}])"),
         how + "/manifests/0/path",
         "a/../x",
         "without \"..\""},
        {how + "/manifests",
         json::parse(R"([{"path": ".git/config", "field": "a"}])"),
         how + "/manifests/0/path",
         ".git",
         "root"},
        {how + "/manifests",
         json::parse(R"([{"path": "a//x", "field": "a"}])"),
         how + "/manifests/0/path",
         "a//x",
         "root"},
        {how + "/manifests",
         json::parse(R"([{"path": "a", "field": "b"}, {"path": "a", "field": "b"}])"),
         how + "/manifests/1",
         "twice",
         "remove one"},
        {how + "/manifests",
         json::parse(R"([{"path": "a", "field": "b", "files": 1}])"),
         how + "/manifests/0/files",
         "unknown field",
         "path"},
        {how + "/title", "to {revison}", how + "/title", "did you mean {revision}?", "{{"},
        {how + "/title", "", how + "/title", "title is empty", "default"},
        {how + "/title", "two\nlines", how + "/title", "more than one line", "body"},
        {how + "/body", "{", how + "/body", "{ without }", "{{"},
        {how + "/commitMessage", "{nobody}", how + "/commitMessage", "{nobody}", "{{"},
        {how + "/labels", "promotion", how + "/labels", "must be a list", "- "},
        {how + "/labels",
         json::parse(R"(["a", ""])"),
         how + "/labels/1",
         "no text",
         "labels: [promotion]"},
        {how + "/labels", json::parse(R"(["a", "a"])"), how + "/labels/1", "twice", "remove one"},
        {how + "/reviewers",
         json::parse("[1]"),
         how + "/reviewers/0",
         "no text",
         "reviewers: [alice]"},
        {how + "/draft", "yes", how + "/draft", "true or false", "quotes"},
        {how + "/autoMerge", true, how + "/autoMerge", "must be a mapping", "fields below"},
        {how + "/autoMerge", nullptr, how + "/autoMerge", "no value", "autoMerge: {}"},
        {how + "/autoMerge",
         json::parse(R"({"method": "fast-forward"})"),
         how + "/autoMerge/method",
         "fast-forward",
         "merge, squash or rebase"},
        {how + "/autoMerge",
         json::parse(R"({"methode": "squash"})"),
         how + "/autoMerge/methode",
         "unknown field",
         "method"},
        {how + "/onNewer", "close", how + "/onNewer", "\"close\"", "update or replace"},
    });
    auto both = whole();
    both[json::json_pointer{how + "/draft"}] = true;
    both[json::json_pointer{how + "/autoMerge"}] = json::object();
    REQUIRE(mistakes_of(both).size() == 1);
    CHECK_THAT(mistakes_of(both)[0].message, Catch::Contains("a draft is never merged"));
}

TEST_CASE("without a forge there is no pull request, and what belongs to one is refused") {
    const std::pair<const char*, json> fields[] = {
        {"apiURL", "https://host/api"},
        {"title", "t"},
        {"body", "b"},
        {"labels", json::array({"a"})},
        {"reviewers", json::array({"a"})},
        {"draft", true},
        {"autoMerge", json::object()},
        {"onNewer", "replace"},
    };
    for (const auto& [name, value] : fields) {
        INFO(name);
        auto document = whole();
        document[json::json_pointer{how + "/type"}] = "git";
        document[json::json_pointer{how}][name] = value;
        const auto mistakes = mistakes_of(document);
        REQUIRE(mistakes.size() == 1);
        CHECK(mistakes[0].pointer == how + "/" + name);
        CHECK_THAT(mistakes[0].message, Catch::Contains("with type git there is none"));
    }
    auto fine = whole();
    fine[json::json_pointer{how}].update(
        {{"type", "git"}, {"onNewer", "update"}, {"draft", false}, {"commitMessage", "{revision}"}}
    );
    CHECK(mistakes_of(fine).empty());
}

TEST_CASE("a push needs a repository, a branch and a Secret, and is the only strategy") {
    const json push{{"url", "https://h/o/r"}, {"branch", "main"}, {"secretRef", {{"name", "c"}}}};
    const auto with = [&](const json& p) {
        auto document = whole();
        document["spec"]["promotion"]["strategy"] = {{"push", p}};
        return mistakes_of(document);
    };
    CHECK(with(push).empty());
    for (const auto* name : {"url", "branch", "secretRef"}) {
        auto without = push;
        without.erase(name);
        const auto mistakes = with(without);
        REQUIRE(mistakes.size() == 1);
        CHECK_THAT(mistakes[0].message, Catch::Contains(std::string{name} + " is missing"));
    }
    auto labelled = push;
    labelled["labels"] = json::array({"a"});
    REQUIRE(with(labelled).size() == 1);
    CHECK_THAT(with(labelled)[0].message, Catch::Contains("unknown field"));

    auto both = whole();
    both["spec"]["promotion"]["strategy"]["push"] = push;
    REQUIRE(mistakes_of(both).size() == 1);
    CHECK(mistakes_of(both)[0].message == "two strategies: pull-request, push");
}

TEST_CASE("an older shape is told with the exact change to make") {
    check({
        {"/apiVersion",
         "pipelines.wego.weave.works/v1alpha1",
         "/apiVersion",
         "older than the first release",
         "write pipelines.weave.works/v1alpha1"},
        {"/apiVersion",
         "pipelines.weave.works/v1",
         "/apiVersion",
         "cannot be",
         "write pipelines.weave.works/v1alpha1"},
        {"/kind", "pipeline", "/kind", "cannot be", "write Pipeline"},
        {"/spec/appRef/secretRef",
         {{"name", "x"}},
         "/spec/appRef/secretRef",
         "older shape",
         "move it to spec.promotion.strategy.secretRef"},
        {"/spec/appRef/kind", "helmrelease", "/spec/appRef/kind", "capitals", "write HelmRelease"},
        {"/spec/appRef/kind",
         "kustomization",
         "/spec/appRef/kind",
         "capitals",
         "write Kustomization"},
        {"/spec/appRef/kind", "deployment", "/spec/appRef/kind", "cannot be", "HelmRelease"},
        {"/spec/promotion",
         {{"notification", json::object()}},
         "/spec/promotion/notification",
         "older shape",
         "move it to promotion.strategy.notification"},
        {"/spec/promotion",
         {{"pull-request", {{"type", "github"}}}},
         "/spec/promotion/pull-request",
         "older shape",
         "move it to promotion.strategy.pull-request"},
        {how + "/secretRef",
         "creds",
         how + "/secretRef",
         "not a string",
         "write secretRef: {name: creds}"},
        {"/spec/promotion/strategy/secretRef",
         "creds",
         "/spec/promotion/strategy/secretRef",
         "not a string",
         "write secretRef: {name: creds}"},
        {"/spec/promotion/strategy/secretRef/namespace",
         "other",
         "/spec/promotion/strategy/secretRef/namespace",
         "own namespace",
         "remove"},
        {how + "/baseBranch",
         "refs/heads/main",
         how + "/baseBranch",
         "cannot be",
         "write main without refs/heads/"},
    });
    auto branch = whole();
    auto& block = branch["spec"]["promotion"]["strategy"]["pull-request"];
    block.erase("baseBranch");
    block["branch"] = "main";
    const auto mistakes = mistakes_of(branch);
    REQUIRE(mistakes.size() == 1);
    CHECK(mistakes[0].pointer == how + "/branch");
    CHECK(mistakes[0].remedy == "rename it to baseBranch");
}

TEST_CASE("an unknown field is refused with what was probably meant") {
    check({
        {"/spce", 1, "/spce", "unknown field \"spce\"", "did you mean spec?"},
        {"/spec/environment",
         json::array(),
         "/spec/environment",
         "unknown field",
         "did you mean environments?"},
        {"/spec/environments/0/required_targets",
         "all",
         "/spec/environments/0/required_targets",
         "unknown field",
         "did you mean requiredTargets?"},
        {"/spec/promotion/Manual",
         true,
         "/spec/promotion/Manual",
         "unknown field",
         "did you mean manual?"},
        {how + "/base-branch",
         "x",
         how + "/base-branch",
         "unknown field",
         "did you mean baseBranch?"},
        {"/spec/promotion/strategy/notifications/x",
         1,
         "/spec/promotion/strategy/notifications",
         "unknown field",
         "did you mean notification?"},
        {"/spec/colour",
         "red",
         "/spec/colour",
         "unknown field",
         "known here are appRef, suspend, deny, environments or promotion"},
        {"/spec/a~1b", "red", "/spec/a~1b", "unknown field \"a/b\"", "known here"},
    });
}

TEST_CASE("a wrong type or choice is told with the right one") {
    check({
        {"/spec/suspend",
         "true",
         "/spec/suspend",
         "must be true or false, but is a string",
         "without quotes"},
        {"/spec/promotion/manual", 1, "/spec/promotion/manual", "but is a number", "true or false"},
        {"/spec/environments",
         {{"dev", 1}},
         "/spec/environments",
         "must be a list, but is a mapping",
         "- "},
        {"/spec/environments/0",
         "dev",
         "/spec/environments/0",
         "must be a mapping, but is a string",
         "fields"},
        {"/spec/environments/0/name",
         1,
         "/spec/environments/0/name",
         "must be a string, but is a number",
         "write it in quotes: \"1\""},
        {"/spec/environments/0/name",
         true,
         "/spec/environments/0/name",
         "but is true or false",
         "\"true\""},
        {"/spec/environments/0/proof",
         "tests",
         "/spec/environments/0/proof",
         "cannot be \"tests\"",
         "did you mean test?"},
        {"/spec/environments/0/proof",
         "hope",
         "/spec/environments/0/proof",
         "cannot be \"hope\"",
         "write release or test"},
        {"/spec/environments/0/requiredTargets",
         "some",
         "/spec/environments/0/requiredTargets",
         "cannot be",
         "all or any"},
        {how + "/type", "GitHub", how + "/type", "cannot be \"GitHub\"", "did you mean github?"},
        {how + "/type",
         "svn",
         how + "/type",
         "cannot be",
         "github, gitlab, bitbucket-server, gitea or git"},
        {"/spec/deny",
         {{{"revision", 1.1}}},
         "/spec/deny/0/revision",
         "must be a string",
         "in quotes"},
        {"/spec/promotion/strategy",
         {{"notification", nullptr}},
         "/spec/promotion/strategy/notification",
         "has no value",
         "write notification: {}"},
        {"/spec/promotion/strategy",
         {{"notification", {{"x", 1}}}},
         "/spec/promotion/strategy/notification/x",
         "unknown field",
         "remove it"},
        {"", json::array(), "", "the document must be a mapping", "fields"},
    });
}

TEST_CASE("a number that should be a string is shown as it was written") {
    auto document = whole();
    document["spec"]["deny"] = {{{"revision", 1.1}}};
    const auto source = [](std::string_view pointer) {
        return std::string{pointer == "/spec/deny/0/revision" ? "1.10" : ""};
    };
    const auto result = read_pipeline(document, source);
    CHECK(std::get<std::vector<mistake>>(result).at(0).remedy == "write it in quotes: \"1.10\"");
}

TEST_CASE("a repository's URL that cannot work is refused, and its credentials are not repeated") {
    const auto url = how + "/url";
    check({
        {url, "ssh://git@github.com/org/fleet", url, "SSH are not supported yet", "https://"},
        {url, "git@github.com:org/fleet.git", url, "SSH are not supported yet", "https://"},
        {url, "github.com/org/fleet", url, "no scheme", "https://"},
        {url, "ftp://host/x", url, "must begin with https://", "https://"},
        {url, "https:///org", url, "names no repository", "https://"},
        {url, "https://github.com", url, "names no repository", "https://"},
        {url, "https://github.com/a b", url, "white space", "remove"},
        {url, "https://github.com/a?x=1", url, "query", "remove"},
        {url, "file://relative", url, "absolute path", "file:///"},
        {how + "/baseBranch", "a b", how + "/baseBranch", "cannot be", "main"},
        {how + "/baseBranch", "a..b", how + "/baseBranch", "cannot be", "main"},
    });
    auto document = whole();
    document[json::json_pointer{url}] = "https://bot:CANARY@github.com/org/fleet";
    for (const auto& m : mistakes_of(document)) {
        CHECK_THAT(m.message + m.remedy, !Catch::Contains("CANARY"));
    }
    CHECK(mistakes_of(document).size() == 1);
}

TEST_CASE("all mistakes are told, not the first") {
    auto document = whole();
    document["kind"] = "pipeline";
    document["spec"]["appRef"]["kind"] = "helmrelease";
    document["spec"]["environments"][0]["targets"] = json::array();
    document["spec"]["environments"][1]["name"] = "dev";
    document["spec"]["promotion"]["gates"] = json::array();
    document["spec"]["promotion"]["strategy"]["pull-request"]["branch"] = "main";
    CHECK(mistakes_of(document).size() == 6);
}

TEST_CASE("a mistake shows at most a line of what was written") {
    auto document = whole();
    document["spec"]["environments"][0]["name"] = std::string(5000, 'x') + "/";
    CHECK(mistakes_of(document).at(0).message.size() < 200);
}
