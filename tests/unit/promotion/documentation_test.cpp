// The examples of docs/markers.md, each block marked "before" with the "after" that follows it.
#include "promotion/manifest/field.hpp"
#include "promotion/manifest/patch.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace sluice;
using namespace sluice::promotion;

namespace {

struct block {
    std::string kind; // what follows ```yaml
    std::string text;
};

std::vector<block> blocks_of_page() {
    std::ifstream page{sluice::tests::source_tree() / "docs/markers.md"};
    std::vector<block> out;
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
        if (!inside && line.starts_with("```yaml")) {
            inside = true;
            out.push_back({line.substr(std::min<std::size_t>(line.size(), 8)), {}});
        } else if (inside && line == "```") {
            inside = false;
        } else if (inside) {
            out.back().text += line + "\n";
        }
    }
    return out;
}

std::string promoted(const std::string& bytes) {
    // What the page promotes: the chart of a Flux event, or the image of a trigger.
    const bool image = bytes.find("prod:image") != std::string::npos;
    pipeline::revision_facts facts;
    facts.revision = image ? "build-7" : "6.1.8";
    if (image) {
        facts.image = "registry.example/podinfo";
        facts.tag = "6.1.8";
    }
    const auto done = patch("markers.md", bytes, {{"default", "podinfo"}, "prod"}, facts);
    if (!done) return "error: " + done.error().message;
    return done->bytes.value_or(bytes);
}

} // namespace

TEST_CASE("every example of the page on markers does what the page says") {
    const auto blocks = blocks_of_page();
    std::size_t tried = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        INFO(blocks[i].text);
        if (blocks[i].kind == "before") {
            REQUIRE(i + 1 < blocks.size());
            REQUIRE(blocks[i + 1].kind == "after");
            CHECK(promoted(blocks[i].text) == blocks[i + 1].text);
            ++tried;
        } else if (blocks[i].kind == "unchanged") {
            CHECK(promoted(blocks[i].text) == blocks[i].text);
            CHECK(find_markers(blocks[i].text)->strays.size() == 5);
            ++tried;
        }
    }
    CHECK(tried == 4);
}

TEST_CASE("the fields the page on markers names can be written in a Pipeline") {
    std::size_t tried = 0;
    for (const auto& b : blocks_of_page()) {
        if (!b.kind.empty()) continue;
        for (const auto index : {"0", "1"}) {
            const auto file = yaml::parse_syntax(b.text);
            const auto field = find_field(*file, "manifests[" + std::string{index} + "].field");
            REQUIRE(field.has_value());
            CHECK(check_field(field->value).has_value());
            ++tried;
        }
    }
    CHECK(tried == 2);
}
