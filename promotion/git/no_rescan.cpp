#include "promotion/git/no_rescan.hpp"

#include "promotion/git/handles.hpp"

namespace sluice::promotion::git {

no_rescan::no_rescan(git_repository* repository) {
    odb_ptr objects;
    if (open_into(objects, git_repository_odb, repository) != 0) return; // it is only slower
    const auto count = git_odb_num_backends(objects.get());
    paused_.reserve(count); // from here on nothing throws, so that all are restored
    for (std::size_t i = 0; i < count; ++i) {
        git_odb_backend* backend = nullptr;
        if (git_odb_get_backend(&backend, objects.get(), i) != 0) continue;
        paused_.emplace_back(backend, std::exchange(backend->refresh, nullptr));
    }
}

no_rescan::~no_rescan() {
    for (const auto& [backend, refresh] : paused_) backend->refresh = refresh;
}

} // namespace sluice::promotion::git
