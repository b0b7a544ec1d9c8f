#pragma once

#include "promotion/git/handles.hpp"

#include <cstddef>
#include <string_view>

namespace sluice::promotion::git {

// A manifest a person wrote is far smaller; what is larger is generated or no manifest.
inline constexpr std::size_t largest_manifest = std::size_t{4} << 20U;

enum class blob_state { read, too_large, failed };
struct blob_text {
    blob_state state = blob_state::failed;
    odb_object_ptr object;

    [[nodiscard]] std::string_view text() const {
        return {
            static_cast<const char*>(git_odb_object_data(object.get())),
            git_odb_object_size(object.get())
        };
    }
};

// `failed` leaves libgit2's error.
[[nodiscard]] blob_text read_blob(git_odb* objects, const git_oid& id);

} // namespace sluice::promotion::git
