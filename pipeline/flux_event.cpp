#include "pipeline/flux_event.hpp"

#include "base/rfc3339.hpp"
#include "pipeline/event_text.hpp"
#include "pipeline/flux_verdict.hpp"

namespace sluice::pipeline {
namespace {

// A member of the event that becomes a fact: required names first, so that the first mistake is told.
struct wanted {
    std::string_view name;
    std::string* into;
};

outcome read_object(const json_members& members, involved_object& object) {
    const wanted names[] = {
        {"apiVersion", &object.api_version},
        {"kind", &object.kind},
        {"namespace", &object.ns},
        {"name", &object.name},
    };
    for (const auto& [name, into] : names) {
        const auto text = members.required_text(name);
        if (!text) return text.error();
        if (auto ok = check_word(members, name, *text); !ok) return ok;
        *into = *text;
    }
    return {};
}

std::string_view group_of(std::string_view api_version) {
    const auto slash = api_version.find('/');
    return slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
}

// notification-controller strips "<group>/" since 0.28; a sender that does not is understood all the same.
const json_member*
find_metadata(const json_members& metadata, std::string_view group, std::string_view key) {
    if (const auto* plain = metadata.find(key)) return plain;
    std::string prefixed{group};
    prefixed += '/';
    prefixed += key;
    return metadata.find(prefixed);
}

outcome read_metadata(const event_document& document, deployment_event& event) {
    // Go's map[string]string: a value of another type anywhere in it cannot come from Flux.
    for (const auto& m : document.metadata.all()) {
        const auto text = document.metadata.text(m.name);
        if (!text) return text.error();
    }
    const auto group = group_of(event.object->api_version);
    const wanted keys[] = {
        {"revision", &event.facts.revision},
        {"oci-digest", &event.facts.digest},
        {"cluster", &event.cluster},
    };
    for (const auto& [key, into] : keys) {
        const auto* found = find_metadata(document.metadata, group, key);
        if (found == nullptr) continue;
        if (auto ok = check_word(document.metadata, found->name, found->text); !ok) return ok;
        *into = found->text;
    }
    // Helm's appVersion is free text. One that no marker could write is left out, and the release goes on without it.
    if (const auto* found = find_metadata(document.metadata, group, "app-version")) {
        if (check_word(document.metadata, found->name, found->text))
            event.facts.app_version = found->text;
    }
    return {};
}

error not_an_object(std::string_view member) {
    return {errc::invalid_argument, "/" + std::string{member} + ": must be an object"};
}

} // namespace

result<deployment_event> read_flux_event(const event_document& document) {
    const auto& body = document.body;
    const auto* object = body.find("involvedObject");
    if (object == nullptr || object->type != json_type::object)
        return not_an_object("involvedObject");
    const auto* metadata = body.find("metadata");
    const bool has_metadata = metadata != nullptr && metadata->type != json_type::null;
    if (has_metadata && metadata->type != json_type::object) return not_an_object("metadata");

    deployment_event event;
    event.object.emplace();
    if (auto ok = read_object(document.involved_object, *event.object); !ok) return ok.error();
    const auto severity = body.required_text("severity");
    if (!severity) return severity.error();
    const auto reason = body.required_text("reason");
    if (!reason) return reason.error();
    const auto message = body.text("message");
    if (!message) return message.error();
    const auto timestamp = body.required_text("timestamp");
    if (!timestamp) return timestamp.error();
    const auto signed_at = parse_rfc3339(*timestamp);
    if (!signed_at) {
        return error{
            errc::invalid_argument,
            "/timestamp: must be an RFC 3339 time such as 2026-08-07T13:12:44Z"
        };
    }
    if (auto ok = read_metadata(document, event); !ok) return ok.error();

    event.signed_at = *signed_at;
    event.reason = first_line(*reason);
    event.message = first_line(message->value_or(""));
    const auto means = verdict_of(*severity, *reason, message->value_or(""));
    event.verdict = means.verdict;
    event.tested = means.tested;
    if (event.verdict == verdict::healthy && event.facts.revision.empty()) {
        return error{
            errc::unprocessable,
            "event has no 'revision' in the metadata field. A success must name what succeeded: "
            "send the event "
            "through notification-controller 0.28 or later, with a Provider of type generic-hmac"
        };
    }
    return event;
}

result<deployment_event> parse_flux_event(std::string_view body) {
    const auto document = read_event_document(body);
    if (!document) return document.error();
    return read_flux_event(*document);
}

} // namespace sluice::pipeline
