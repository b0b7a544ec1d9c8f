#include "promotion/git/blob_text.hpp"

namespace sluice::promotion::git {

blob_text read_blob(git_odb* objects, const git_oid& id) {
    blob_text out;
    std::size_t size = 0;
    git_object_t type = GIT_OBJECT_INVALID;
    if (git_odb_read_header(&size, &type, objects, &id) != 0) return out;
    if (size > largest_manifest) {
        out.state = blob_state::too_large;
        return out;
    }
    if (open_into(out.object, git_odb_read, objects, &id) == 0) out.state = blob_state::read;
    return out;
}

} // namespace sluice::promotion::git
