#include "promotion/manifest/fact.hpp"

#include "pipeline/version.hpp"

#include <array>
#include <utility>

namespace sluice::promotion {
namespace {

constexpr std::array<std::pair<fact, std::string_view>, 6> names{{
    {fact::revision, "revision"},
    {fact::app_version, "app-version"},
    {fact::tag, "tag"},
    {fact::digest, "digest"},
    {fact::name, "name"},
    {fact::image, "image"},
}};

std::optional<std::string> unless_empty(std::string_view text) {
    if (text.empty()) return std::nullopt;
    return std::string{text};
}

struct image_reference {
    std::string_view name;
    std::string_view tag;
    std::string_view digest;
};

// "registry:5000/team/app:1.2@sha256:…": a colon before the last slash is the registry's port.
image_reference split_image(std::string_view text) {
    image_reference out;
    if (const auto at = text.find('@'); at != std::string_view::npos) {
        out.digest = text.substr(at + 1);
        text = text.substr(0, at);
    }
    const auto slash = text.rfind('/');
    const auto colon = text.find(':', slash == std::string_view::npos ? 0 : slash);
    out.name = text.substr(0, colon);
    if (colon != std::string_view::npos) out.tag = text.substr(colon + 1);
    return out;
}

// The revision itself says a digest: then its written form is the tag.
bool is_oci_revision(pipeline::revision_facts facts) {
    facts.digest.clear();
    return !pipeline::digest_of(facts).empty();
}

std::optional<std::string> tag_of(const pipeline::revision_facts& facts) {
    if (!facts.tag.empty()) return facts.tag;
    if (const auto tag = split_image(facts.image).tag; !tag.empty()) return std::string{tag};
    if (is_oci_revision(facts)) return pipeline::written_form(facts);
    return std::nullopt;
}

std::optional<std::string> known_digest(const pipeline::revision_facts& facts) {
    const auto known = pipeline::digest_of(facts);
    return unless_empty(known.empty() ? split_image(facts.image).digest : known);
}

std::optional<std::string> image_of(const pipeline::revision_facts& facts) {
    const auto name = split_image(facts.image).name;
    const auto tag = tag_of(facts);
    if (name.empty() || !tag) return std::nullopt;
    auto text = std::string{name} + ":" + *tag;
    if (const auto digest = known_digest(facts)) text += "@" + *digest;
    return text;
}

} // namespace

std::string_view to_string(fact f) noexcept {
    for (const auto& [value, name] : names) {
        if (value == f) return name;
    }
    return "revision";
}

std::optional<fact> parse_fact(std::string_view text) noexcept {
    for (const auto& [value, name] : names) {
        if (name == text) return value;
    }
    return std::nullopt;
}

std::optional<std::string> value_of(fact f, const pipeline::revision_facts& facts) {
    switch (f) {
    case fact::revision: return unless_empty(pipeline::written_form(facts));
    case fact::app_version: return unless_empty(facts.app_version);
    case fact::tag: return tag_of(facts);
    case fact::digest: return known_digest(facts);
    case fact::name: return unless_empty(split_image(facts.image).name);
    case fact::image: return image_of(facts);
    }
    return std::nullopt;
}

std::string_view origin_of(fact f) noexcept {
    switch (f) {
    case fact::revision: return "every event has one";
    case fact::app_version:
        return "it comes with events of a HelmRelease whose chart has an appVersion";
    case fact::tag: return "it comes with a trigger's `tag` or `image`, or with an OCI revision";
    case fact::digest:
        return "it comes with a trigger's `digest` or `image`, or with an OCI revision";
    case fact::name: return "it comes with a trigger's `image`";
    case fact::image: return "it needs a trigger's `image` and a tag";
    }
    return {};
}

} // namespace sluice::promotion
