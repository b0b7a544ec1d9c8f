#pragma once

#include "pipeline/deployment_event.hpp"

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::pipeline {

// What a manifest gets: `v1.2.3@sha1:<hex>` as the tag, `main@sha1:<hex>` as the commit, an OCI revision as its tag,
// `6.2.1+<digest>` without the suffix that only repeats the digest. Flux does not tell a git tag from a branch: what
// parses as SemVer (or says refs/tags/) is a tag, all else is a branch. Any other text is its own written form.
[[nodiscard]] std::string written_form(const revision_facts& facts);

// Of the artifact: as reported, else as part of an OCI revision, else empty.
[[nodiscard]] std::string_view digest_of(const revision_facts& facts);

// What tells releases apart, read once: views into the facts.
struct release {
    std::string_view written;
    std::string_view digest;
};
[[nodiscard]] release release_of(const revision_facts& facts);

// Written forms are equal, and the digests where both have one.
[[nodiscard]] bool same_release(const release& a, const release& b);
[[nodiscard]] bool same_release(const revision_facts& a, const revision_facts& b);

// SemVer 2.0 with an optional leading "v".
[[nodiscard]] bool is_version(std::string_view text);

// SemVer 2.0 precedence, build metadata ignored; nothing when either does not parse.
[[nodiscard]] std::optional<std::strong_ordering>
compare_versions(std::string_view a, std::string_view b);

} // namespace sluice::pipeline
