#include "server/act_request.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::server {
namespace {

using json = nlohmann::json;

constexpr std::size_t longest_reason = 1'000; // of a person; it is kept in every history

error wrong(std::string text) {
    return {errc::invalid_argument, std::move(text)};
}

// Takes fields out one by one; what is left in the end is nothing anybody asked for.
class fields {
public:
    [[nodiscard]] static result<fields> of(std::string_view body) {
        auto parsed = json::parse(body, nullptr, /*allow_exceptions=*/false);
        if (!parsed.is_object()) return wrong("the body is not a JSON object");
        fields f;
        f.left_ = std::move(parsed);
        return f;
    }

    void text(const char* name, std::string& into) {
        const auto found = left_.find(name);
        if (found == left_.end()) return;
        if (found->is_string()) {
            into = found->get<std::string>();
        } else {
            problem(fmt::format("{}: must be a string", name));
        }
        left_.erase(found);
    }
    void required(const char* name, std::string& into) {
        text(name, into);
        if (into.empty()) problem(fmt::format("{}: is missing", name));
    }
    void flag(const char* name, bool& into) {
        const auto found = left_.find(name);
        if (found == left_.end()) return;
        if (found->is_boolean()) {
            into = found->get<bool>();
        } else {
            problem(fmt::format("{}: must be true or false", name));
        }
        left_.erase(found);
    }
    void reason(std::string& into) {
        text("reason", into);
        if (into.size() > longest_reason)
            problem(fmt::format("reason: is longer than {} bytes", longest_reason));
    }
    [[nodiscard]] outcome finish() {
        if (!left_.empty()) problem(fmt::format("{}: no such field", left_.begin().key()));
        if (problem_.empty()) return {};
        return wrong(problem_);
    }

private:
    void problem(std::string text) {
        if (problem_.empty()) problem_ = std::move(text);
    }

    json left_;
    std::string problem_; // the first
};

} // namespace

result<std::string> read_reason(std::string_view body) {
    std::string reason;
    if (body.empty()) return reason;
    auto given = fields::of(body);
    if (!given) return given.error();
    given->reason(reason);
    if (auto read = given->finish(); !read) return read.error();
    return reason;
}

result<promote_request> read_promote_request(std::string_view body) {
    auto given = fields::of(body);
    if (!given) return given.error();
    promote_request r;
    given->required("namespace", r.pipeline.ns);
    given->required("pipeline", r.pipeline.name);
    given->required("environment", r.environment);
    given->required("revision", r.facts.revision);
    given->text("appVersion", r.facts.app_version);
    given->text("digest", r.facts.digest);
    given->text("image", r.facts.image);
    given->text("tag", r.facts.tag);
    given->reason(r.reason);
    given->flag("dryRun", r.dry_run);
    if (auto read = given->finish(); !read) return read.error();
    return r;
}

} // namespace sluice::server
