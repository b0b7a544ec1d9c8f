#include "pipeline/schema_names.hpp"

#include <algorithm>

namespace sluice::pipeline::schema {
namespace {

bool is_lower_alnum(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_alnum(char c) {
    return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

bool is_label(std::string_view text) {
    return !text.empty() && is_lower_alnum(text.front()) && is_lower_alnum(text.back()) &&
           std::ranges::all_of(text, [](char c) { return is_lower_alnum(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
    for (;;) {
        const auto dot = text.find('.');
        if (!is_label(text.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        text.remove_prefix(dot + 1);
    }
}

// Behind the scheme.
std::optional<wrong_url> wrong_rest(std::string_view rest) {
    if (std::ranges::any_of(rest, [](char c) {
            return static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
        })) {
        return wrong_url{"url contains white space", "remove it"};
    }
    if (rest.find_first_of("?#") != std::string_view::npos) {
        return wrong_url{"url has a query or a fragment", "remove what begins with ? or #"};
    }
    return std::nullopt;
}

std::optional<wrong_url> wrong_host(std::string_view host) {
    if (host.find('@') == std::string_view::npos) return std::nullopt;
    return wrong_url{
        "url contains credentials",
        "remove them from the url and put username and password into the Secret of secretRef"
    };
}

} // namespace

std::optional<std::string> wrong_object_name(std::string_view name) {
    if (name.size() <= 253 && is_subdomain(name)) return std::nullopt;
    return "use lower-case letters, digits, \"-\" and \".\", beginning and ending with a letter or "
           "digit, at most 253";
}

std::optional<std::string> wrong_namespace(std::string_view name) {
    if (name.size() <= 63 && is_label(name)) return std::nullopt;
    return "use lower-case letters, digits and \"-\", beginning and ending with a letter or digit, "
           "at most 63";
}

std::optional<std::string> wrong_environment_name(std::string_view name) {
    const bool fits = !name.empty() && name.size() <= 63 && is_alnum(name.front()) &&
                      is_alnum(name.back()) && std::ranges::all_of(name, [](char c) {
                          return is_alnum(c) || c == '-' || c == '_' || c == '.';
                      });
    // The last two are not allowed in a git branch.
    if (fits && name.find("..") == std::string_view::npos && !name.ends_with(".lock"))
        return std::nullopt;
    return "it is part of the event's URL and of the branch: use letters, digits, \"-\", \"_\" and "
           "\".\", beginning and "
           "ending with a letter or digit, at most 63, no \"..\", not ending in \".lock\"";
}

std::optional<std::string> wrong_branch(std::string_view name) {
    if (name.starts_with("refs/heads/"))
        return "write " + std::string{name.substr(11)} + " without refs/heads/";
    const bool bad_character = std::ranges::any_of(name, [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == 0x7f ||
               std::string_view{"~^:?*[\\"}.find(c) != std::string_view::npos;
    });
    const bool bad_part = name.starts_with('-') || name.starts_with('/') || name.ends_with('/') ||
                          name.ends_with('.') || name.ends_with(".lock") || name.starts_with('.') ||
                          name == "@";
    const bool bad_pair = std::ranges::any_of(
        std::initializer_list<std::string_view>{"..", "//", "@{", "/.", ".lock/"},
        [&](std::string_view pair) { return name.find(pair) != std::string_view::npos; }
    );
    if (!bad_character && !bad_part && !bad_pair) return std::nullopt;
    return "write the branch that promotions go to, for example main";
}

std::optional<wrong_url> check_repository_url(std::string_view url) {
    const auto scheme_end = url.find("://");
    if (scheme_end == std::string_view::npos) {
        const bool scp =
            url.find('@') != std::string_view::npos && url.find(':') != std::string_view::npos;
        if (scp)
            return wrong_url{
                "repositories over SSH are not supported yet",
                "write the https:// URL of the repository"
            };
        return wrong_url{"url has no scheme", "write https://HOST/OWNER/REPOSITORY"};
    }
    const auto scheme = url.substr(0, scheme_end);
    const auto rest = url.substr(scheme_end + 3);
    if (scheme == "ssh" || scheme == "git+ssh") {
        return wrong_url{
            "repositories over SSH are not supported yet",
            "write the https:// URL of the repository"
        };
    }
    if (scheme != "https" && scheme != "http" && scheme != "file") {
        return wrong_url{"url must begin with https://", "write https://HOST/OWNER/REPOSITORY"};
    }
    if (auto wrong = wrong_rest(rest)) return wrong;
    if (scheme == "file") {
        if (rest.starts_with('/') && rest.size() > 1) return std::nullopt;
        return wrong_url{
            "a file:// url names an absolute path", "write file:///PATH/TO/REPOSITORY"
        };
    }
    const auto host = rest.substr(0, rest.find('/'));
    if (auto wrong = wrong_host(host)) return wrong;
    if (host.empty() || host.starts_with(':') || rest.size() < host.size() + 2) {
        return wrong_url{"url names no repository", "write https://HOST/OWNER/REPOSITORY"};
    }
    return std::nullopt;
}

std::optional<wrong_url> check_api_url(std::string_view url) {
    auto rest = url;
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (url.starts_with(scheme)) rest = url.substr(scheme.size());
    }
    constexpr auto form = "write https://HOST/PATH, as the forge's manual has it";
    if (rest.size() == url.size()) return wrong_url{"apiURL must begin with https://", form};
    if (auto wrong = wrong_rest(rest)) return wrong;
    const auto host = rest.substr(0, rest.find('/'));
    if (auto wrong = wrong_host(host)) return wrong;
    if (host.empty() || host.starts_with(':')) return wrong_url{"apiURL names no host", form};
    return std::nullopt;
}

std::optional<std::string> wrong_manifest_path(std::string_view path) {
    bool wrong = path.starts_with('/') || path.find('\\') != std::string_view::npos ||
                 path.find('\0') != std::string_view::npos;
    for (auto rest = path;;) {
        const auto part = rest.substr(0, rest.find('/'));
        wrong = wrong || part.empty() || part == "." || part == ".." || part == ".git";
        if (part.size() == rest.size()) break;
        rest.remove_prefix(part.size() + 1);
    }
    if (!wrong) return std::nullopt;
    return "write the file from the root of the repository, without \"..\", for example "
           "prod/podinfo.yaml";
}

} // namespace sluice::pipeline::schema
