#include "pipeline/trigger.hpp"

#include "base/rfc3339.hpp"
#include "pipeline/event_document.hpp"
#include "pipeline/event_text.hpp"
#include "pipeline/flux_event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sluice::pipeline {
namespace {

constexpr std::array known_keys{
    std::string_view{"revision"},
    std::string_view{"timestamp"},
    std::string_view{"into"},
    std::string_view{"image"},
    std::string_view{"tag"},
    std::string_view{"digest"},
    std::string_view{"url"},
    std::string_view{"metadata"},
};

outcome check_keys(const json_members& body) {
    for (const auto& m : body.all()) {
        if (std::ranges::find(known_keys, std::string_view{m.name}) != known_keys.end()) continue;
        return error{
            errc::invalid_argument,
            fmt::format(
                "{}: is not known in a trigger, which has {}",
                body.path_of(m.name),
                fmt::join(known_keys, ", ")
            )
        };
    }
    return {};
}

outcome check_metadata(const event_document& document) {
    const auto* m = document.body.find("metadata");
    if (m == nullptr || m->type == json_type::null) return {};
    if (m->type != json_type::object) {
        return error{errc::invalid_argument, "/metadata: must be an object of strings"};
    }
    for (const auto& entry : document.metadata.all()) {
        const auto text = document.metadata.text(entry.name);
        if (!text) return text.error();
    }
    return {};
}

// The signature's own time is what the signer vouches for, so it wins over what the body says.
result<time_point> signed_time(const json_members& body, std::optional<time_point> header) {
    const auto text = body.text("timestamp");
    if (!text) return text.error();
    if (!*text && header) return *header;
    if (!*text) {
        return error{
            errc::invalid_argument,
            "/timestamp: is missing; only a Standard Webhooks signature brings its own time"
        };
    }
    const auto parsed = parse_rfc3339(**text);
    if (!parsed) {
        return error{
            errc::invalid_argument,
            "/timestamp: must be an RFC 3339 time such as 2026-08-07T13:12:44Z"
        };
    }
    return header.value_or(*parsed);
}

result<deployment_event>
read_trigger(const event_document& document, std::optional<time_point> signed_header_time) {
    const auto& body = document.body;
    if (auto ok = check_keys(body); !ok) return ok.error();
    deployment_event event;
    event.source = evidence_source::trigger;
    event.verdict = verdict::healthy; // the signer's claim
    event.reason = "trigger";

    const std::pair<std::string_view, std::string*> words[] = {
        {"revision", &event.facts.revision},
        {"image", &event.facts.image},
        {"tag", &event.facts.tag},
        {"digest", &event.facts.digest},
        {"url", &event.url},
    };
    for (const auto& [name, into] : words) {
        const auto text = body.text(name);
        if (!text) return text.error();
        if (!*text) continue;
        if (auto ok = check_word(body, name, **text); !ok) return ok.error();
        *into = **text;
    }
    if (event.facts.revision.empty()) {
        return error{
            errc::unprocessable,
            "/revision: is missing; a trigger names what it carries on, a Flux event has "
            "/involvedObject"
        };
    }
    const auto into = body.flag("into");
    if (!into) return into.error();
    event.into = into->value_or(false);
    if (auto ok = check_metadata(document); !ok) return ok.error();
    const auto signed_at = signed_time(body, signed_header_time);
    if (!signed_at) return signed_at.error();
    event.signed_at = *signed_at;
    return event;
}

} // namespace

result<deployment_event>
parse_trigger(std::string_view body, std::optional<time_point> signed_header_time) {
    const auto document = read_event_document(body);
    if (!document) return document.error();
    return read_trigger(*document, signed_header_time);
}

result<deployment_event>
parse_event(std::string_view body, std::optional<time_point> signed_header_time) {
    const auto document = read_event_document(body);
    if (!document) return document.error();
    if (document->body.find("involvedObject") != nullptr) return read_flux_event(*document);
    return read_trigger(*document, signed_header_time);
}

} // namespace sluice::pipeline
