#include "tests/support/pipeline_text.hpp"
#include "tests/unit/lint/linted.hpp"

using sluice::tests::linted;
using sluice::tests::pipeline_text;

namespace {

const std::string good_key = "CANARY-0123456789abcdef0123456789";

std::string with_forge(const char* type) {
    auto text = pipeline_text("podinfo");
    const std::string from = "{notification: {}}";
    return text.replace(
        text.find(from),
        from.size(),
        std::string{"{pull-request: {type: "} + type +
            ", url: 'https://g/x', baseBranch: main, secretRef: {name: forge}}}"
    );
}

linted
with_folder(const std::string& pipeline, std::vector<std::pair<std::string, std::string>> more) {
    more.emplace_back("p.yaml", pipeline);
    return linted{more};
}

std::string secret(const std::string& name, const std::string& ns, const std::string& fields) {
    return "apiVersion: v1\nkind: Secret\nmetadata: {name: " + name + ", namespace: " + ns + "}\n" +
           fields;
}

const std::string provider = "apiVersion: notification.toolkit.fluxcd.io/v1beta3\n"
                             "kind: Provider\n"
                             "metadata: {name: x, namespace: dev}\n"
                             "spec: {type: generic-hmac, address: 'https://s/default/podinfo/dev', "
                             "secretRef: {name: hmac}}\n";

} // namespace

TEST_CASE("a Secret or key that a pipeline needs is missed in the secrets folder") {
    const auto dev =
        std::pair<std::string, std::string>{"secrets/default/dev-events/hmac-key", good_key};
    const auto prod =
        std::pair<std::string, std::string>{"secrets/default/prod-events/hmac-key", good_key + "2"};
    CHECK(with_folder(pipeline_text("podinfo"), {dev, prod}).text().empty());
    CHECK(with_folder(pipeline_text("podinfo"), {dev})
              .has("p.yaml:11:5: error: there is no Secret prod-events in the namespace default"));
    CHECK(with_folder(
              pipeline_text("podinfo"), {dev, {"secrets/default/prod-events/token", good_key}}
    ).has("has no key hmac-key; add hmac-key with the value that Flux's Secret has as token"));
    const auto forge =
        with_folder(with_forge("github"), {dev, prod, {"secrets/default/forge/password", "x"}});
    CHECK(forge.has("the Secret forge has no key token"));
    CHECK(forge.has("has a password but no username"));
    CHECK(with_folder(with_forge("git"), {dev, prod, {"secrets/default/forge/note", "x"}})
              .has("has no credentials for the repository"));
    CHECK(with_folder(with_forge("github"), {dev, prod, {"secrets/default/forge/token", "x"}})
              .text()
              .empty());
}

TEST_CASE("the Secret of a push and of a forge that takes passwords is checked for what they need"
) {
    const auto dev =
        std::pair<std::string, std::string>{"secrets/default/dev-events/hmac-key", good_key};
    const auto prod =
        std::pair<std::string, std::string>{"secrets/default/prod-events/hmac-key", good_key + "2"};
    const auto user = std::pair<std::string, std::string>{"secrets/default/forge/username", "bot"};
    const auto password =
        std::pair<std::string, std::string>{"secrets/default/forge/password", "x"};
    for (const auto* type : {"gitea", "bitbucket-server"}) {
        CHECK(with_folder(with_forge(type), {dev, prod, user, password}).text().empty());
    }
    CHECK(with_folder(with_forge("gitlab"), {dev, prod, user, password}).has("has no key token"));

    auto push = pipeline_text("podinfo");
    const std::string from = "{notification: {}}";
    push.replace(
        push.find(from),
        from.size(),
        "{push: {url: 'https://g/x', branch: main, secretRef: {name: forge}}}"
    );
    CHECK(with_folder(push, {dev, prod}).has("there is no Secret forge in the namespace default"));
    CHECK(with_folder(push, {dev, prod, user}).has("has no credentials for the repository"));
    CHECK(with_folder(push, {dev, prod, user, password}).text().empty());
}

TEST_CASE("a misspelt key of a Secret is told with the one that is read, others are left alone") {
    const auto dev =
        std::pair<std::string, std::string>{"secrets/default/dev-events/hmac-key", good_key};
    const auto prod =
        std::pair<std::string, std::string>{"secrets/default/prod-events/hmac-key", good_key + "2"};
    const auto l =
        with_folder(with_forge("github"), {dev, prod, {"secrets/default/forge/Token", "CANARY"}});
    CHECK(l.has("warning: nobody reads the key Token; did you mean token?"));
    CHECK(!l.has("CANARY"));
    CHECK(with_folder(
              with_forge("github"),
              {dev, prod, {"secrets/default/forge/token", "x"}, {"secrets/default/forge/slack", "y"}
              }
    )
              .text()
              .empty());
}

TEST_CASE("weak keys are told by name, never by value") {
    const auto finds = [](const std::string& key, std::string_view expected) {
        const auto l = with_folder(
            pipeline_text("podinfo"),
            {{"secrets/default/dev-events/hmac-key", key},
             {"secrets/default/prod-events/hmac-key", good_key}}
        );
        CHECK(l.has(expected));
        CHECK(!l.has("CANARY"));
        CHECK(sluice::lint::to_json(l.report).find("CANARY") == std::string::npos);
    };
    finds("CANARY", "dev-events/hmac-key: warning: the key hmac-key is shorter than 16 bytes");
    finds("", "error: the key hmac-key is empty");
    finds(good_key + "\n", "white space or a newline around it");
}

TEST_CASE("two Secrets with the same key count as one where the namespaces coincide") {
    auto text = pipeline_text("podinfo");
    text.replace(text.find("namespace: prod"), 15, "namespace: dev");
    CHECK(with_folder(
              text,
              {{"secrets/default/dev-events/hmac-key", good_key},
               {"secrets/default/prod-events/hmac-key", good_key}}
    ).has("share a key and a namespace"));
    CHECK(with_folder(
              text,
              {{"secrets/default/dev-events/hmac-key", good_key},
               {"secrets/default/prod-events/hmac-key", good_key + "2"}}
    )
              .text()
              .empty());
}

TEST_CASE("the token of Flux and our hmac-key must be the same") {
    const auto ours = secret("dev-events", "default", "stringData: {hmac-key: " + good_key + "}\n");
    const auto theirs = [](const std::string& fields) { return secret("hmac", "dev", fields); };
    const auto lint_with = [&](const std::string& leaf) {
        return linted{
            {{"p.yaml", pipeline_text("podinfo")},
             {"ours.yaml", ours},
             {"theirs.yaml", leaf},
             {"x.yaml", provider}}
        };
    };
    CHECK(lint_with(theirs("stringData: {token: " + good_key + "}\n")).text().empty());
    const auto other = lint_with(theirs("stringData:\n  token: " + good_key + "-other\n"));
    CHECK(other.has("theirs.yaml:5:3: error: token is not the hmac-key of the Secret dev-events"));
    CHECK(!other.has("CANARY"));
    CHECK(lint_with(theirs("stringData: {hmac-key: " + good_key + "}\n"))
              .has("rename hmac-key to token on the side of Flux"));
    // echo instead of printf: base64 of "CANARY\n"
    CHECK(lint_with(theirs("data: {token: Q0FOQVJZCg==}\n")).has("white space or a newline"));
    CHECK(lint_with(theirs("data: {token: CANARY!}\n")).has("data.token is not base64"));
    CHECK(!lint_with(theirs("stringData: {token: 123456}\n")).has("123456"));
}

TEST_CASE("the forge's token is not a key for events") {
    const auto both = "stringData: {hmac-key: " + good_key + ", token: " + good_key + "}\n";
    const linted l{
        {{"p.yaml", pipeline_text("podinfo")}, {"s.yaml", secret("dev-events", "default", both)}}
    };
    CHECK(l.has("the forge's token is also the key that signs events"));
}

TEST_CASE("a folder of secrets is known by its shape, and files that everyone can read are told") {
    const sluice::tests::temp_folder folder;
    folder.write("secrets/default/dev-events/hmac-key", good_key);
    std::filesystem::permissions(
        folder / "secrets/default/dev-events/hmac-key", std::filesystem::perms{0644}
    );
    folder.write("p.yaml", pipeline_text("podinfo"));
    const auto text =
        sluice::lint::to_text(sluice::lint::run({{folder / "p.yaml", folder / "secrets"}, {}}));
    CHECK_THAT(
        text,
        Catch::Contains("everyone on this machine can read this secret") &&
            Catch::Contains("there is no Secret prod-events")
    );
}
