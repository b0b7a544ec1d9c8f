#include "promotion/forge/repository_place.hpp"

#include <algorithm>
#include <vector>

namespace sluice::promotion::forge {
namespace {

using pipeline::forge;
using segments = std::vector<std::string>;

segments split(std::string_view path) {
    segments parts;
    while (!path.empty()) {
        const auto end = path.find('/');
        if (const auto part = path.substr(0, end); !part.empty()) parts.emplace_back(part);
        if (end == std::string_view::npos) break;
        path.remove_prefix(end + 1);
    }
    return parts;
}

std::string joined(std::span<const std::string> parts, std::string_view before) {
    std::string path;
    for (const auto& part : parts) path.append(before).append(part);
    return path;
}

// "https://host/group/app.git/" as {"group", "app"}.
segments path_segments(const net::url& url) {
    auto parts = split(std::string_view{url.target}.substr(0, url.target.find('?')));
    if (!parts.empty() && parts.back().ends_with(".git")) {
        parts.back().resize(parts.back().size() - 4);
        if (parts.back().empty()) parts.pop_back();
    }
    return parts;
}

std::string_view usual_api(forge type) noexcept {
    switch (type) {
    case forge::gitlab: return "/api/v4";
    case forge::gitea: return "/api/v1";
    case forge::bitbucket_server: return "/rest/api/1.0";
    case forge::github:
    case forge::git: break;
    }
    return "/api/v3";
}

error unusable(std::string_view what, std::string_view shape) {
    return {errc::unprocessable, std::string{what} + ": write it as " + std::string{shape}};
}

std::string_view shape_of(forge type) noexcept {
    switch (type) {
    case forge::gitlab: return "https://HOST/GROUP/PROJECT";
    case forge::bitbucket_server: return "https://HOST/scm/PROJECT/REPOSITORY.git";
    default: return "https://HOST/OWNER/REPOSITORY";
    }
}

// Where the API is when only the clone URL is known. `context` is the path the forge itself lives below.
void derive_api(
    repository_place& place, forge type, const net::url& url, const std::string& context
) {
    place.server = url.at("/");
    place.api = context + std::string{usual_api(type)};
    if (type != forge::github) return;
    if (url.host == "github.com" || url.host == "www.github.com") {
        place.server.host = "api.github.com";
        place.api.clear();
    } else if (url.host.ends_with(".ghe.com")) { // GitHub's own, with data residency
        place.server.host = "api." + url.host;
        place.api.clear();
    }
}

outcome take_api_url(repository_place& place, forge type, std::string_view api_url) {
    auto parsed = net::parse_url(api_url);
    if (!parsed) return error{errc::unprocessable, "apiURL: " + parsed.error().message};
    place.api =
        joined(split(std::string_view{parsed->target}.substr(0, parsed->target.find('?'))), "/");
    // Only GitHub's own API lives at the root of its host.
    if (place.api.empty() && type != forge::github) place.api = usual_api(type);
    place.server = parsed->at("/");
    return {};
}

std::string graphql_path(const std::string& api) {
    if (api.ends_with("/api/v3")) return api.substr(0, api.size() - 2) + "graphql";
    return api + "/graphql";
}

// What stands before the usual API path of `place` is where the forge lives; the repository's path begins behind it.
void drop_context(segments& parts, const repository_place& place, forge type) {
    if (!place.api.ends_with(usual_api(type))) return;
    const auto context =
        split(std::string_view{place.api}.substr(0, place.api.size() - usual_api(type).size()));
    if (parts.size() >= context.size() + 2 &&
        std::equal(context.begin(), context.end(), parts.begin())) {
        parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(context.size()));
    }
}

} // namespace

net::url repository_place::at(std::string_view path_and_query) const {
    return server.at(api + std::string{path_and_query});
}

result<repository_place> place_of(forge type, std::string_view url_text, std::string_view api_url) {
    const auto url = net::parse_url(url_text);
    if (!url) return error{errc::unprocessable, "url: " + url.error().message};
    auto parts = path_segments(*url);
    const bool odd = std::ranges::any_of(parts, [](const std::string& part) {
        return part.find('%') != std::string::npos || part == "." || part == "..";
    });
    if (parts.size() < 2 || odd) return unusable("url names no repository", shape_of(type));

    repository_place place;
    if (!api_url.empty()) {
        if (auto taken = take_api_url(place, type, api_url); !taken) return taken.error();
        if (place.server.host == url->host) drop_context(parts, place, type);
    }
    // Only GitLab has groups in groups; what stands before the last two elsewhere is where the forge lives.
    const auto owner_begins = type == forge::gitlab ? 0 : parts.size() - 2;
    auto context_ends = owner_begins;
    if (type == forge::bitbucket_server && context_ends > 0 && parts[context_ends - 1] == "scm")
        --context_ends;
    if (type == forge::github && owner_begins > 0) {
        return unusable("url names no repository", shape_of(type));
    }
    const auto all = std::span<const std::string>{parts};
    place.name = parts.back();
    place.owner = joined(all.subspan(owner_begins, parts.size() - 1 - owner_begins), "/").substr(1);
    if (api_url.empty()) derive_api(place, type, *url, joined(all.first(context_ends), "/"));
    place.graphql = graphql_path(place.api);
    return place;
}

} // namespace sluice::promotion::forge
