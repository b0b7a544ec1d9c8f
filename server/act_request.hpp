#pragma once

#include "base/result.hpp"
#include "pipeline/deployment_event.hpp"
#include "pipeline/pipeline.hpp"

#include <string>
#include <string_view>

// The bodies of POST /api/v1/promotions…, read once. Errors are invalid_argument and name the field.
namespace sluice::server {

// {"reason": "…"}; an empty body gives no reason.
[[nodiscard]] result<std::string> read_reason(std::string_view body);

// {"namespace","pipeline","environment","revision","appVersion","digest","image","tag","reason","dryRun"}
struct promote_request {
    pipeline::object_name pipeline;
    std::string environment;
    pipeline::revision_facts facts;
    std::string reason;
    bool dry_run = false;

    promote_request() = default;
};
[[nodiscard]] result<promote_request> read_promote_request(std::string_view body);

} // namespace sluice::server
