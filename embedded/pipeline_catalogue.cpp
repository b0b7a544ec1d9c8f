#include "embedded/pipeline_catalogue.hpp"

#include "pipeline/schema.hpp"
#include "yaml/document.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::embedded {
namespace {

std::string place_of(const std::filesystem::path& file, yaml::position at) {
    return fmt::format("{}:{}:{}", file.string(), at.line, at.column);
}

void read_object(
    const std::filesystem::path& file,
    const yaml::document& document,
    const pipeline::manifest& object,
    pipeline_file& out
) {
    const auto source = [&](std::string_view pointer) {
        return std::string{document.source(object.pointer + std::string{pointer})};
    };
    auto read = pipeline::read_pipeline(*object.value, source);
    if (auto* definition = std::get_if<pipeline::definition>(&read)) {
        const auto place = place_of(file, document.where(object.pointer));
        out.pipelines.push_back(
            {std::make_shared<const pipeline::definition>(std::move(*definition)), place, false}
        );
        return;
    }
    std::multimap<yaml::position, std::string> told; // in the order of the file
    for (const auto& m : std::get<std::vector<pipeline::mistake>>(read)) {
        told.emplace(
            document.where(object.pointer + m.pointer), fmt::format("{}; {}", m.message, m.remedy)
        );
    }
    for (const auto& [at, text] : told) {
        out.problems.push_back(fmt::format("{}: {}", place_of(file, at), text));
    }
}

const std::string& place_before(const catalogue& before, const pipeline::object_name& name) {
    static const std::string none;
    const auto found = before.pipelines.find(name);
    return found == before.pipelines.end() ? none : found->second.place;
}

// "a/b.yaml" of "a/b.yaml:3:1".
std::string_view file_of(std::string_view place) {
    return place.substr(0, place.rfind(':', place.rfind(':') - 1));
}

} // namespace

pipeline_file parse_pipeline_file(const std::filesystem::path& file, std::string text) {
    pipeline_file out;
    out.text = std::move(text);
    const auto documents = yaml::read_documents(out.text);
    if (!documents) {
        out.problems.push_back(fmt::format("{}:{}", file.string(), documents.error().message));
        return out;
    }
    for (const auto& document : *documents) {
        for (const auto& object : pipeline::objects_in(document.value)) {
            if (pipeline::is_pipeline(*object.value)) read_object(file, document, object, out);
        }
    }
    return out;
}

void keep_last_good(pipeline_file& now, const pipeline_file& before) {
    if (now.problems.empty()) return;
    const auto name = [](const placed_pipeline& p) -> const pipeline::object_name& {
        return p.definition->name;
    };
    for (const auto& old : before.pipelines) {
        if (std::ranges::find(now.pipelines, name(old), name) != now.pipelines.end()) continue;
        now.pipelines.push_back({old.definition, old.place, true});
    }
}

bool was_emptied(const pipeline_file& now, const pipeline_file& before) {
    return now.text.find_first_not_of(" \t\r\n") == std::string::npos && !before.pipelines.empty();
}

catalogue combine(const pipeline_files& files, const catalogue& before) {
    catalogue out;
    const auto add = [&](const placed_pipeline& candidate) {
        const auto& name = candidate.definition->name;
        const auto [there, fresh] = out.pipelines.emplace(name, candidate);
        if (fresh || candidate.kept) return; // what is only kept gives way to what is written
        auto winner = there->second;
        auto loser = candidate;
        if (file_of(place_before(before, name)) == file_of(candidate.place))
            std::swap(winner, loser);
        there->second = winner;
        out.problems.push_back(fmt::format(
            "{}: pipeline {} is also at {}; remove one of them",
            loser.place,
            name.text(),
            winner.place
        ));
    };
    for (const bool kept : {false, true}) {
        for (const auto& [path, file] : files) {
            for (const auto& p : file.pipelines) {
                if (p.kept == kept) add(p);
            }
        }
    }
    for (const auto& [path, file] : files) {
        out.problems.insert(out.problems.end(), file.problems.begin(), file.problems.end());
    }
    return out;
}

} // namespace sluice::embedded
