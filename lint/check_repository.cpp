#include "lint/opened_repository.hpp"
#include "lint/workspace.hpp"
#include "promotion/manifest/patch.hpp"
#include "promotion/strategies/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

// `--repository`: is there something to write to, for every environment that promotions go into?
namespace sluice::lint {
namespace {

// One environment of one pipeline, and where promotions into it are written to.
struct errand {
    const known_pipeline* pipeline = nullptr;
    std::size_t environment = 0; // its index
    promotion::destination to;

    [[nodiscard]] std::string pointer() const {
        return fmt::format("/spec/environments/{}", environment);
    }
    [[nodiscard]] promotion::promotion_key key() const {
        const auto& d = pipeline->definition;
        return {d.name, d.environments[environment].name};
    }
};

std::string comparable(std::string url) {
    url = promotion::without_login(std::move(url));
    while (url.ends_with('/')) url.pop_back();
    if (url.ends_with(".git")) url.resize(url.size() - 4);
    return url;
}

// Nothing is promoted into the first environment but by a trigger.
std::vector<errand> errands_of(const workspace& w, const repository_place& place) {
    std::vector<errand> found;
    for (const auto& p : w.pipelines) {
        const auto& environments = p.definition.environments;
        for (std::size_t i = 1; i < environments.size(); ++i) {
            const auto* policy = p.definition.policy_into(environments[i]);
            if (policy == nullptr) continue;
            auto to = promotion::destination_of(*policy);
            if (!to) continue;
            if (!place.is_local && comparable(to->url) != comparable(place.url)) continue;
            found.push_back({&p, i, std::move(*to)});
        }
    }
    return found;
}

repository_login login_of(const workspace& w, const errand& e) {
    repository_login login;
    login.type = e.to.type;
    login.api_url = e.to.api_url;
    login.secret_name = e.to.secret;
    const auto* known = w.find_secret(e.pipeline->definition.name.ns, e.to.secret);
    if (known != nullptr) {
        auto secret = std::make_shared<home::secret>();
        secret->data = known->data;
        login.secret = std::move(secret);
    }
    return login;
}

// All a promotion can know, so that every marker finds its fact.
pipeline::revision_facts any_facts() {
    pipeline::revision_facts f;
    f.revision = "0.0.0-lint";
    f.app_version = "0.0.0-lint";
    f.digest = "sha256:" + std::string(64, '0');
    f.image = "example/lint";
    f.tag = "0.0.0-lint";
    return f;
}

// "path:line: why", told at its place in the repository.
void tell_at(
    std::string_view text, severity s, const errand& e, findings& out, std::string remedy
) {
    for (auto colon = text.find(':'); colon != std::string_view::npos;
         colon = text.find(':', colon + 1)) {
        finding f;
        const auto* const begin = text.data() + colon + 1;
        const auto [end, ec] = std::from_chars(begin, text.data() + text.size(), f.line);
        const auto rest = text.substr(static_cast<std::size_t>(end - text.data()));
        if (ec != std::errc{} || !rest.starts_with(':')) continue;
        f.severity = s;
        f.file = text.substr(0, colon);
        f.message = rest.substr(std::min<std::size_t>(rest.find_first_not_of(": "), rest.size()));
        f.remedy = std::move(remedy);
        return out.add(std::move(f));
    }
    if (s == severity::error) {
        out.error(e.pipeline->from, e.pointer(), std::string{text}, std::move(remedy));
    } else {
        out.warning(e.pipeline->from, e.pointer(), std::string{text}, std::move(remedy));
    }
}

void check(
    promotion::git::repository& in,
    const std::string& tip,
    const std::string& repository,
    const errand& e,
    findings& out
) {
    const auto patched = in.patch(tip, e.key(), any_facts(), e.to.fields);
    if (!patched) {
        return tell_at(
            patched.error().message,
            severity::error,
            e,
            out,
            "correct it, or no promotion into " + e.key().environment + " can be written"
        );
    }
    if (patched->places.empty()) {
        out.error(
            e.pipeline->from,
            e.pointer(),
            fmt::format(
                "nothing in {} on branch {} is marked for promotions into {}",
                repository,
                e.to.branch,
                e.key().environment
            ),
            fmt::format(
                "add {} to the line that holds the version, or name it in manifests",
                promotion::marker_line(e.key())
            )
        );
    }
    for (const auto& text : patched->unreadable)
        tell_at(text, severity::warning, e, out, "markers in it are not found");
    for (const auto& text : patched->strays)
        tell_at(text, severity::warning, e, out, "see docs/markers.md for where a marker stands");
}

void tell_whole(const std::string& given, std::string message, std::string remedy, findings& out) {
    finding f;
    f.file = given;
    f.message = std::move(message);
    f.remedy = std::move(remedy);
    out.add(std::move(f));
}

// A repository everybody may read needs no Secret to be looked into.
void tell_unread(
    const std::string& given, const error& why, const repository_login& login, findings& out
) {
    const bool may_pass = why.code == errc::unavailable || why.code == errc::timed_out;
    if (!may_pass && !login.secret && !login.secret_name.empty()) {
        return tell_whole(
            given,
            fmt::format(
                "it cannot be read without Secret {}, which is not among the files",
                login.secret_name
            ),
            "add --secrets DIR, or lint the file of the Secret too",
            out
        );
    }
    auto message = why.message;
    if (message.starts_with(given + ": ")) message.erase(0, given.size() + 2);
    tell_whole(given, std::move(message), may_pass ? "check that it can be reached" : "", out);
}

} // namespace

void check_repository(const workspace& w, const options& o, findings& out) {
    const auto given = promotion::without_login(o.repository);
    const auto place = find_repository(o.repository);
    if (!place) return tell_whole(given, place.error().message, "correct --repository", out);
    const auto errands = errands_of(w, *place);
    if (errands.empty()) {
        return tell_whole(
            given,
            "no pipeline among the files is promoted by writing to this repository",
            "lint the pipelines' files too, and write the URL as they do",
            out
        );
    }
    std::set<std::string> branches;
    for (const auto& e : errands) branches.insert(e.to.branch);
    const auto login = login_of(w, errands.front());
    const auto opened = opened_repository::open(*place, login, o.http);
    if (!opened) return tell_whole(given, opened.error().message, "correct --repository", out);
    auto& git = (*opened)->git();
    const auto tips = git.fetch({branches.begin(), branches.end()});
    if (!tips) return tell_unread(given, tips.error(), login, out);
    for (const auto& e : errands) {
        const auto tip = tips->find(e.to.branch);
        if (tip == tips->end()) {
            out.error(
                e.pipeline->from,
                e.pointer(),
                fmt::format("{} has no branch {}", given, e.to.branch),
                "make it, or correct the branch in the promotion's strategy"
            );
            continue;
        }
        check(git, tip->second, given, e, out);
    }
}

} // namespace sluice::lint
