#include "promotion/git/no_rescan.hpp"

#include "promotion/git/handles.hpp"

#include <utility>

namespace sluice::promotion::git {

no_rescan::no_rescan(git_repository* repository) {
    odb_ptr objects;
    if (open_into(objects, git_repository_odb, repository) != 0) return; // it is only slower
    const auto count = git_odb_num_backends(objects.get());
    paused_.reserve(count); // from here on nothing throws, so that all are restored
    for (std::size_t i = 0; i < count; ++i) {
        git_odb_backend* backend = nullptr;
        if (git_odb_get_backend(&backend, objects.get(), i) != 0) continue;
        paused_.push_back(
            {backend,
             std::exchange(backend->refresh, nullptr),
             std::exchange(backend->freshen, nullptr),
             std::exchange(backend->exists, nullptr)}
        );
    }
}

no_rescan::~no_rescan() {
    for (const auto& p : paused_) {
        p.backend->refresh = p.refresh;
        p.backend->freshen = p.freshen;
        p.backend->exists = p.exists;
    }
}

} // namespace sluice::promotion::git
