#include "pipeline/version.hpp"

#include <algorithm>

namespace sluice::pipeline {
namespace {

constexpr std::size_t sha1_digits = 40;
constexpr std::size_t sha256_digits = 64;
constexpr std::size_t digits_in_chart_suffix = 12; // of the digest, as helm-controller appends them

bool is_hex(std::string_view text, std::size_t length) {
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return text.size() == length && std::ranges::all_of(text, is_digit);
}

enum class source { git, oci };

// "ref@sha1:<hex>" (git), "ref@sha256:<hex>" (OCI), and "ref/<hex>" of both as Flux wrote them before 0.41.
struct source_revision {
    pipeline::source source;
    std::string_view ref;
    std::string_view digest; // with its algorithm, where the revision spells it
    std::string_view hex;
};

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

std::optional<source_revision> parse_source_revision(std::string_view text) {
    if (const auto at = text.rfind('@'); at != std::string_view::npos && at != 0) {
        const auto ref = text.substr(0, at);
        const auto digest = text.substr(at + 1);
        auto hex = digest;
        if (take_prefix(hex, "sha1:") && is_hex(hex, sha1_digits)) {
            return source_revision{source::git, ref, digest, hex};
        }
        hex = digest;
        if (take_prefix(hex, "sha256:") && is_hex(hex, sha256_digits)) {
            return source_revision{source::oci, ref, digest, hex};
        }
        return std::nullopt;
    }
    const auto slash = text.rfind('/');
    if (slash == std::string_view::npos || slash == 0) return std::nullopt;
    const auto ref = text.substr(0, slash);
    const auto hex = text.substr(slash + 1);
    if (is_hex(hex, sha1_digits)) return source_revision{source::git, ref, {}, hex};
    if (is_hex(hex, sha256_digits)) return source_revision{source::oci, ref, {}, hex};
    return std::nullopt;
}

std::string_view git_form(std::string_view ref, std::string_view commit) {
    if (take_prefix(ref, "refs/tags/") && !ref.empty()) return ref;
    return is_version(ref) ? ref : commit;
}

// "6.2.1+1234567890ab" of a chart from an OCI source; any other build metadata is part of the version.
std::string_view without_digest_suffix(std::string_view revision, std::string_view digest) {
    const auto plus = revision.rfind('+');
    if (plus == std::string_view::npos || plus == 0) return revision;
    take_prefix(digest, "sha256:");
    const auto suffix = revision.substr(plus + 1);
    const bool repeats = suffix.size() == digits_in_chart_suffix && digest.starts_with(suffix);
    return repeats ? revision.substr(0, plus) : revision;
}

std::string_view written(const revision_facts& facts) {
    const std::string_view revision = facts.revision;
    if (const auto parsed = parse_source_revision(revision)) {
        return parsed->source == source::git ? git_form(parsed->ref, parsed->hex) : parsed->ref;
    }
    auto commit = revision;
    if (take_prefix(commit, "sha1:") && is_hex(commit, sha1_digits)) return commit;
    return without_digest_suffix(revision, facts.digest);
}

} // namespace

std::string written_form(const revision_facts& facts) {
    return std::string{written(facts)};
}

std::string_view digest_of(const revision_facts& facts) {
    if (!facts.digest.empty()) return facts.digest;
    const auto parsed = parse_source_revision(facts.revision);
    return parsed && parsed->source == source::oci ? parsed->digest : std::string_view{};
}

release release_of(const revision_facts& facts) {
    return {written(facts), digest_of(facts)};
}

bool same_release(const release& a, const release& b) {
    if (a.written != b.written) return false;
    return a.digest.empty() || b.digest.empty() || a.digest == b.digest;
}

bool same_release(const revision_facts& a, const revision_facts& b) {
    if (a.revision == b.revision && a.digest == b.digest)
        return true; // mostly, and nothing is parsed
    return same_release(release_of(a), release_of(b));
}

} // namespace sluice::pipeline
