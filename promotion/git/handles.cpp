#include "promotion/git/handles.hpp"

namespace sluice::promotion::git {

std::string last_error() {
    const auto* e = git_error_last();
    return e != nullptr && e->message != nullptr ? e->message : "no reason given";
}

bool last_error_is_damage() noexcept {
    const auto* e = git_error_last();
    if (e == nullptr) return false;
    switch (e->klass) {
    case GIT_ERROR_ODB:
    case GIT_ERROR_ZLIB:
    case GIT_ERROR_OBJECT:
    case GIT_ERROR_TREE:
    case GIT_ERROR_INDEXER:
    case GIT_ERROR_SHA:
    case GIT_ERROR_REFERENCE:
    case GIT_ERROR_REPOSITORY:
    case GIT_ERROR_CONFIG: return true;
    default: return false;
    }
}

std::string to_text(const git_oid& id) {
    std::string text(GIT_OID_HEXSZ, '0');
    git_oid_fmt(text.data(), &id);
    return text;
}

bool parse_id(std::string_view text, git_oid& out) noexcept {
    return text.size() == GIT_OID_HEXSZ && git_oid_fromstrn(&out, text.data(), text.size()) == 0;
}

} // namespace sluice::promotion::git
