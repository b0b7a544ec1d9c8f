#include "promotion/git/http_wire.hpp"

#include "observe/log.hpp"
#include "promotion/git/advertisement.hpp"
#include "promotion/git/http_refusal.hpp"
#include "promotion/git/receive_pack.hpp"
#include "promotion/git/smart_transport.hpp"

#include <fmt/format.h>

#include <mutex>
#include <set>

namespace sluice::promotion::git {
namespace {

void warn_once(const std::string& repository) {
    static std::mutex mutex;
    static std::set<std::string> warned;
    const std::lock_guard lock{mutex};
    if (warned.insert(repository).second)
        log::warn(
            "a repository is reached without TLS: its login and every promotion can be read and "
            "changed on the way; "
            "use https://",
            {{"repository", repository}}
        );
}

int stop_when_late(const git_indexer_progress* /*progress*/, void* payload) {
    auto& transport = *static_cast<smart_transport*>(payload);
    return transport.session.out_of_time() ? GIT_EUSER : 0;
}

bool has_object(git_repository* repository, const git_oid& id) {
    odb_ptr objects;
    return open_into(objects, git_repository_odb, repository) == 0 &&
           git_odb_exists(objects.get(), &id) == 1;
}

} // namespace

result<std::unique_ptr<wire>> http_wire::open(const environment& env, const remote& r) {
    auto url = net::parse_url(r.url);
    if (!url)
        return error{
            errc::unprocessable, fmt::format("`url` of the repository: {}", url.error().message)
        };
    if (url->target.find('?') != std::string::npos)
        return error{
            errc::unprocessable, fmt::format("{}: a repository's URL has no query", url->text())
        };
    while (url->target.ends_with('/')) url->target.pop_back();
    if (url->target.empty())
        return error{
            errc::unprocessable,
            fmt::format(
                "{}://{}: no path; write https://HOST/OWNER/REPOSITORY",
                url->scheme,
                url->authority()
            )
        };
    if (!url->secure()) warn_once(url->text());
    return std::unique_ptr<wire>{new http_wire{http_session{env, r, std::move(*url)}}};
}

result<branch_tips> http_wire::read(std::string_view advertisement) const {
    auto tips = read_advertisement(advertisement);
    if (!tips) return with_name(session_.name(), tips.error());
    return tips;
}

result<branch_tips> http_wire::list() {
    auto told = session_.advertise();
    if (!told) return told.error();
    return read(*told);
}

result<branch_tips> http_wire::fetch(cache& into, const std::vector<std::string>& wanted) {
    auto told = session_.advertise();
    if (!told) return told.error();
    auto tips = read(*told);
    if (!tips) return tips;
    into.keep_only(*tips);
    std::vector<std::pair<std::string, git_oid>> there;
    std::vector<std::string> missing;
    for (const auto& branch : wanted) {
        const auto at = tips->find(branch);
        git_oid id;
        if (at == tips->end() || !parse_id(at->second, id)) continue;
        there.emplace_back(branch, id);
        if (!has_object(into.repository(), id)) missing.push_back(branch);
    }
    if (!missing.empty()) {
        auto got = download(into.repository(), std::move(*told), missing);
        if (!got) return got.error();
    }
    for (const auto& [branch, id] : there)
        if (auto set = into.set_tip(branch, id); !set) return set.error();
    return tips;
}

outcome http_wire::download(
    git_repository* into, std::string advertisement, const std::vector<std::string>& wanted
) {
    git_error_clear(); // what is complained about from here on is this download
    smart_transport transport{session_, std::move(advertisement), {}};
    git_remote_create_options how;
    git_remote_create_options_init(&how, GIT_REMOTE_CREATE_OPTIONS_VERSION);
    how.repository = into;
    // Looking for insteadOf leaks memory in this libgit2, and a user's settings are no business of ours.
    how.flags = GIT_REMOTE_CREATE_SKIP_INSTEADOF | GIT_REMOTE_CREATE_SKIP_DEFAULT_FETCHSPEC;
    remote_ptr remote;
    if (open_into(remote, git_remote_create_with_opts, session_.name().c_str(), &how) != 0)
        return error{errc::unavailable, fmt::format("{}: {}", session_.name(), last_error())};

    git_fetch_options options;
    git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);
    options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
    options.update_fetchhead = 0;
    options.callbacks.transport = &smart_transport::make;
    options.callbacks.transfer_progress = &stop_when_late;
    options.callbacks.payload = &transport;
    std::vector<std::string> specs;
    specs.reserve(wanted.size());
    for (const auto& branch : wanted)
        specs.push_back(fmt::format("+refs/heads/{0}:refs/cache/{0}", branch));
    std::vector<char*> raw;
    raw.reserve(specs.size());
    for (auto& spec : specs) raw.push_back(spec.data());
    const git_strarray refspecs{raw.data(), raw.size()};

    const int code = git_remote_download(remote.get(), &refspecs, &options);
    if (code == 0) return {};
    if (transport.failure) return std::move(*transport.failure);
    if (session_.out_of_time())
        return error{errc::timed_out, session_.name() + ": the fetch took longer than allowed"};
    return error{
        errc::unavailable, fmt::format("{}: cannot fetch: {}", session_.name(), last_error())
    };
}

result<std::vector<ref_status>> http_wire::push(
    cache& from, const std::vector<ref_update>& updates, const std::vector<git_oid>& objects
) {
    auto request = push_request(from.repository(), updates, objects);
    if (!request) return with_name(session_.name(), request.error());
    git_error_clear();
    auto answer = session_.post(service::receive_pack, std::move(*request));
    if (!answer) return answer.error();
    auto report = read_report(*answer, updates);
    if (!report) return with_name(session_.name(), report.error());
    return report;
}

} // namespace sluice::promotion::git
