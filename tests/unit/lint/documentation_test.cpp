#include "base/files.hpp"
#include "pipeline/schema.hpp"
#include "pipeline/text_template.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/unit/lint/linted.hpp"
#include "yaml/document.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path root = sluice::tests::source_tree();

// The ```yaml blocks of a page, each with its line.
std::vector<std::pair<int, std::string>> yaml_blocks(const std::string& page) {
    std::vector<std::pair<int, std::string>> blocks;
    bool inside = false;
    int number = 0;
    std::istringstream lines{page};
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line == "```yaml") {
            inside = true;
            blocks.emplace_back(number, "");
        } else if (line == "```") {
            inside = false;
        } else if (inside) {
            blocks.back().second += line + "\n";
        }
    }
    return blocks;
}

} // namespace

TEST_CASE("every Pipeline in the documentation works as it is written") {
    const auto page = sluice::read_file(root / "docs/pipelines.md", 1 << 20);
    REQUIRE(page.has_value());
    const auto blocks = yaml_blocks(*page);
    REQUIRE(blocks.size() >= 3);
    for (const auto& [line, block] : blocks) {
        INFO("docs/pipelines.md:" << line);
        const auto documents = sluice::yaml::read_documents(block);
        REQUIRE(documents.has_value());
        for (const auto& document : *documents) {
            const auto read = sluice::pipeline::read_pipeline(document.value);
            const auto* mistakes = std::get_if<std::vector<sluice::pipeline::mistake>>(&read);
            if (mistakes != nullptr)
                FAIL(mistakes->front().pointer + ": " + mistakes->front().message);
        }
    }
}

TEST_CASE("the examples have no finding but what a checkout's file modes cause") {
    const auto report =
        sluice::lint::run({{root / "examples/pipelines"}, root / "examples/secrets"});
    for (const auto& f : report.findings) {
        INFO(f.file << ": " << f.message);
        CHECK(f.message == "everyone on this machine can read this secret");
    }
}

TEST_CASE("the fixture with every field is read") {
    const auto report =
        sluice::lint::run({{root / "tests/fixtures/pipelines/everything.yaml"}, {}});
    CHECK(!report.has_errors());
}

TEST_CASE("the older shapes that users have on disk are each told with the change to make") {
    const auto text = sluice::lint::to_text(
        sluice::lint::run({{root / "tests/fixtures/pipelines/old-shapes.yaml"}, {}})
    );
    for (const auto* remedy :
         {"old-shapes.yaml:2:1: error: pipelines.wego.weave.works",
          "old-shapes.yaml:6:12: error: kind cannot be \"helmrelease\"",
          "move it to spec.promotion.strategy.secretRef",
          "move it to promotion.strategy.pull-request",
          "move it to promotion.strategy.notification",
          "rename it to baseBranch",
          "write secretRef: {name: promotion-credentials}"}) {
        CHECK_THAT(text, Catch::Contains(remedy));
    }
}

TEST_CASE("the page on pipelines names every name of a template with its meaning") {
    const auto page = sluice::read_file(root / "docs/pipelines.md", 1 << 20);
    REQUIRE(page.has_value());
    for (const auto& [name, meaning] : sluice::pipeline::template_names()) {
        CHECK_THAT(*page, Catch::Contains("`{" + std::string{name} + "}`"));
    }
}
