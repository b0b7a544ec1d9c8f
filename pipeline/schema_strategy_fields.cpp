#include "pipeline/schema_names.hpp"
#include "pipeline/schema_promotion.hpp"
#include "pipeline/schema_strategy.hpp"
#include "pipeline/text_template.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::pipeline::schema {

std::vector<manifest_field> read_manifests(fields& f, report& out) {
    std::vector<manifest_field> manifests;
    const auto* list = f.list("manifests");
    if (list == nullptr) return manifests;
    for (std::size_t i = 0; i < list->size(); ++i) {
        fields item{&(*list)[i], fmt::format("{}/{}", f.at("manifests"), i), out};
        if (!item.readable()) continue;
        manifest_field m;
        m.path = item.required_text(
            "path", "write a file of the repository, for example prod/podinfo.yaml"
        );
        check_name(item, "path", m.path, wrong_manifest_path);
        m.field = item.required_text(
            "field", "write the scalar's path, for example spec.chart.spec.version"
        );
        if (std::ranges::find(manifests, m) != manifests.end()) {
            out.add(
                fmt::format("{}/{}", f.at("manifests"), i),
                fmt::format("{} of {} is there twice", shown(m.field), shown(m.path)),
                "remove one"
            );
        }
        manifests.push_back(std::move(m));
    }
    return manifests;
}

std::string read_template(fields& f, std::string_view name) {
    const auto text = f.text(name);
    if (!text) return {};
    if (text->empty()) {
        f.mistake(
            name, fmt::format("{} is empty", name), "write a text, or remove it for the default"
        );
        return {};
    }
    if (auto fine = check_template(*text); !fine) {
        f.mistake(
            name,
            fmt::format("{} cannot be used: {}", name, fine.error().message),
            "write a brace that stands for itself twice: {{"
        );
        return {};
    }
    return *text;
}

std::vector<std::string>
read_words(fields& f, std::string_view name, std::string_view example, report& out) {
    std::vector<std::string> words;
    const auto* list = f.list(name);
    if (list == nullptr) return words;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const auto& item = (*list)[i];
        const auto at = fmt::format("{}/{}", f.at(name), i);
        if (!item.is_string() || item.get_ref<const std::string&>().empty()) {
            out.add(
                at,
                fmt::format("an item of {} is no text", name),
                fmt::format("write {}: [{}]", name, example)
            );
            continue;
        }
        auto word = item.get<std::string>();
        if (std::ranges::find(words, word) != words.end()) {
            out.add(at, fmt::format("{} is there twice", shown(word)), "remove one");
        }
        words.push_back(std::move(word));
    }
    return words;
}

} // namespace sluice::pipeline::schema
