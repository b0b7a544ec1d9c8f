#include "promotion/git/copy_objects.hpp"

#include <git2/odb_backend.h>

#include <string>
#include <string_view>

namespace sluice::promotion::git {
namespace {

constexpr std::size_t many = 30; // git's own limit is 100, where a process is the price of a pack

struct free_writepack {
    void operator()(git_odb_writepack* w) const noexcept { w->free(w); }
};

// libgit2 maps the file for every piece it is given, and it cuts a pack into pieces smaller than an object.
class pack_writer {
public:
    explicit pack_writer(git_odb_writepack* w) : into_(w) {}

    int append(std::string_view piece) {
        waiting_.append(piece);
        return waiting_.size() < enough ? 0 : flush();
    }
    int commit() {
        if (int code = flush()) return code;
        return into_->commit(into_.get(), &progress_);
    }

private:
    int flush() {
        const int code = into_->append(into_.get(), waiting_.data(), waiting_.size(), &progress_);
        waiting_.clear();
        return code;
    }

    static constexpr std::size_t enough = 256U << 10U;
    std::unique_ptr<git_odb_writepack, free_writepack> into_;
    git_indexer_progress progress_{};
    std::string waiting_;
};

int append(void* bytes, std::size_t size, void* payload) {
    return static_cast<pack_writer*>(payload)->append({static_cast<const char*>(bytes), size});
}

int copy_as_pack(git_repository* from, git_odb* into, const std::vector<git_oid>& objects) {
    packbuilder_ptr pack;
    if (int code = open_into(pack, git_packbuilder_new, from)) return code;
    git_packbuilder_set_threads(pack.get(), 1);
    for (const auto& id : objects)
        if (int code = git_packbuilder_insert(pack.get(), &id, nullptr)) return code;
    git_odb_writepack* raw = nullptr;
    if (int code = git_odb_write_pack(&raw, into, nullptr, nullptr)) return code;
    pack_writer writer{raw};
    if (int code = git_packbuilder_foreach(pack.get(), append, &writer)) return code;
    return writer.commit();
}

// In the given order: see new_objects().
int copy_singly(git_odb* from, git_odb* into, const std::vector<git_oid>& objects) {
    for (const auto& id : objects) {
        odb_object_ptr object;
        git_oid written;
        if (int code = open_into(object, git_odb_read, from, &id)) return code;
        if (int code = git_odb_write(
                &written,
                into,
                git_odb_object_data(object.get()),
                git_odb_object_size(object.get()),
                git_odb_object_type(object.get())
            ))
            return code;
    }
    return 0;
}

} // namespace

int copy_objects(git_repository* from, git_odb* into, const std::vector<git_oid>& objects) {
    if (objects.size() >= many) return copy_as_pack(from, into, objects);
    odb_ptr ours;
    if (int code = open_into(ours, git_repository_odb, from)) return code;
    return copy_singly(ours.get(), into, objects);
}

} // namespace sluice::promotion::git
