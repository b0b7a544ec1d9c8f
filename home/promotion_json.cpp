#include "home/promotion_json.hpp"

#include "base/rfc3339.hpp"

namespace sluice::home {
namespace {

using json = nlohmann::ordered_json;

json facts_json(const pipeline::revision_facts& f) {
    json out = json::object();
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) out[name] = value;
    };
    add("revision", f.revision);
    add("appVersion", f.app_version);
    add("digest", f.digest);
    add("image", f.image);
    add("tag", f.tag);
    return out;
}

json pull_request_json(const std::optional<pipeline::pull_request>& pr) {
    if (!pr) return nullptr;
    return {{"url", pr->url}, {"number", pr->number}, {"state", pipeline::to_string(pr->state)}};
}

json work_json(const pipeline::promotion_work& w) {
    return {
        {"branch", w.branch},
        {"commit", w.commit},
        {"baseCommit", w.base_commit},
        {"repository", w.repository},
        {"replaced", w.replaced},
    };
}

json entry_json(const history_entry& e) {
    return {
        {"at", format_rfc3339(e.at)},
        {"state", e.state},
        {"reason", e.reason},
        {"message", e.message},
        {"actor", e.actor},
    };
}

} // namespace

json to_json(const pipeline::promotion& p) {
    return {
        {"id", p.id.text()},
        {"namespace", p.id.pipeline.ns},
        {"pipeline", p.id.pipeline.name},
        {"environment", p.id.environment},
        {"revision", p.id.revision},
        {"kind", pipeline::to_string(p.id.kind)},
        {"attempt", p.id.attempt},
        {"state", pipeline::to_string(p.state)},
        {"reason", p.reason},
        {"message", p.message},
        {"retryAt", p.retry_at ? json(format_rfc3339(*p.retry_at)) : json(nullptr)},
        {"createdAt", format_rfc3339(p.created_at)},
        {"updatedAt", format_rfc3339(p.updated_at)},
        {"pullRequest", pull_request_json(p.work.pull_request)},
    };
}

json to_json(const std::vector<pipeline::promotion>& list) {
    json items = json::array();
    for (const auto& p : list) items.push_back(to_json(p));
    json out = json::object();
    out["items"] = std::move(items);
    return out;
}

json to_json(const promotion_details& details) {
    json out = to_json(details.promotion);
    out["from"] = details.promotion.from_environment;
    out["firstEvidence"] = format_rfc3339(details.promotion.first_evidence);
    out["facts"] = facts_json(details.promotion.facts);
    out["url"] = details.promotion.url;
    out["work"] = work_json(details.promotion.work);
    json history = json::array();
    for (const auto& e : details.history) history.push_back(entry_json(e));
    out["history"] = std::move(history);
    return out;
}

} // namespace sluice::home
