#include "promotion/git/http_wire.hpp"
#include "promotion/git/local_path.hpp"
#include "promotion/git/local_wire.hpp"

namespace sluice::promotion::git {

result<std::unique_ptr<wire>> make_wire(const environment& env, const remote& r) {
    if (r.url.starts_with("file://")) {
        auto folder = local_path(r.url, env.local_repositories);
        if (!folder) return folder.error();
        return local_wire::open(*folder, r.url);
    }
    if (r.url.starts_with("https://") || r.url.starts_with("http://"))
        return http_wire::open(env, r);
    return error{
        errc::unprocessable,
        "the URL of a repository begins with https://, http:// or file://; ssh is not supported yet"
    };
}

} // namespace sluice::promotion::git
