#include "pipeline/schema_promotion.hpp"

#include "pipeline/schema_names.hpp"
#include "pipeline/schema_strategy.hpp"

#include <fmt/format.h>

namespace sluice::pipeline::schema {
using nlohmann::json;

void check_name(
    fields& f,
    std::string_view field,
    const std::string& written,
    std::optional<std::string> (*wrong)(std::string_view)
) {
    if (written.empty()) return;
    if (const auto remedy = wrong(written)) {
        f.mistake(field, fmt::format("{} cannot be {}", field, shown(written)), *remedy);
    }
}

std::optional<std::string> read_secret_ref(fields& parent, std::string_view name, report& out) {
    const auto* value = parent.find(name);
    if (value == nullptr) return std::nullopt;
    fields f{value, parent.at(name), out};
    if (!f.readable()) return std::nullopt;
    auto secret = f.required_text("name", "write the name of a Secret in the Pipeline's namespace");
    check_name(f, "name", secret, wrong_object_name);
    f.moved("namespace", "a Secret is read from the Pipeline's own namespace", "remove namespace");
    if (secret.empty()) return std::nullopt;
    return secret;
}

promotion_policy read_promotion(const json& value, const std::string& pointer, report& out) {
    fields f{&value, pointer, out};
    promotion_policy policy;
    policy.strategy.how = notification_strategy{};
    if (!f.readable()) return policy;
    policy.manual = f.flag("manual", false);
    for (const auto* name : {"approvals", "gates", "rollback"}) f.not_yet(name);
    bool older = false;
    for (const auto* name : {"pull-request", "push", "notification", "secretRef"}) {
        older |= f.moved(
            name,
            fmt::format("{} stands directly under promotion, an older shape", name),
            fmt::format("move it to promotion.strategy.{}", name)
        );
    }
    const auto* chosen =
        older ? f.find("strategy")
              : f.require(
                    "strategy", "add strategy with pull-request: {…}, push: {…} or notification: {}"
                );
    if (chosen != nullptr) policy.strategy = read_strategy(*chosen, f.at("strategy"), out);
    return policy;
}

} // namespace sluice::pipeline::schema
