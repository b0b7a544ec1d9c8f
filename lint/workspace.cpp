#include "lint/workspace.hpp"

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "base/secret_folder.hpp"
#include "pipeline/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sluice::lint {
namespace fs = std::filesystem;

namespace {

// "3:7: text" as read_documents says it.
finding from_yaml_error(const std::string& file, std::string_view message) {
    finding f;
    f.file = file;
    const auto number = [&](int& out) {
        const auto colon = message.find(':');
        std::from_chars(message.data(), message.data() + std::min(colon, message.size()), out);
        message.remove_prefix(std::min(colon + 1, message.size()));
    };
    number(f.line);
    number(f.column);
    f.message = message.substr(std::min(message.find_first_not_of(' '), message.size()));
    f.remedy = "repair the YAML; nothing of this file was checked";
    return f;
}

void add_file(workspace& w, const fs::path& path, findings& out) {
    auto text = read_file(path, yaml::max_text);
    if (!text) {
        out.add({severity::error, path.string(), 0, 0, text.error().message, "make it readable"});
        return;
    }
    auto documents = yaml::read_documents(*text);
    if (!documents) {
        out.add(from_yaml_error(path.string(), documents.error().message));
        return;
    }
    auto& file = w.files.emplace_back(path.string(), std::move(*text), std::move(*documents));
    for (const auto& document : file.documents) {
        for (auto& found : pipeline::objects_in(document.value)) {
            if (found.value->is_object())
                w.objects.push_back({&file, &document, found.pointer, found.value});
        }
    }
}

void add_secret_folder(workspace& w, const fs::path& root, findings& out) {
    auto folders = list_secret_folders(root);
    if (!folders) {
        out.add(
            {severity::error,
             root.string(),
             0,
             0,
             folders.error().message,
             "name the folder that serve --secrets gets"}
        );
        return;
    }
    w.has_secrets_folder = true;
    for (const auto& folder : *folders) {
        auto content = read_secret_folder(folder.path);
        if (!content) {
            out.add(
                {severity::error,
                 folder.path.string(),
                 0,
                 0,
                 content.error().message,
                 "make it readable"}
            );
            continue;
        }
        for (const auto& file : content->readable_by_all) {
            out.add(
                {severity::warning,
                 file.string(),
                 0,
                 0,
                 "everyone on this machine can read this secret",
                 "chmod it to 0600"}
            );
        }
        w.secrets.push_back(
            {{folder.ns, folder.name}, std::move(content->data), nullptr, folder.path.string()}
        );
    }
}

void add_path(workspace& w, const fs::path& path, findings& out) {
    std::error_code ec;
    const auto status = fs::status(path, ec);
    if (ec || !fs::exists(status)) {
        out.add(
            {severity::error,
             path.string(),
             0,
             0,
             "there is no such file or folder",
             "check the path"}
        );
        return;
    }
    if (!fs::is_directory(status)) return add_file(w, path, out);
    auto files = yaml_files(path);
    if (!files) {
        out.add(
            {severity::error, path.string(), 0, 0, files.error().message, "make the folder readable"
            }
        );
        return;
    }
    for (const auto& file : *files) add_file(w, file, out);
    if (!files->empty()) return;
    const auto secrets = list_secret_folders(path);
    if (secrets && !secrets->empty()) return add_secret_folder(w, path, out);
    out.add(
        {severity::warning,
         path.string(),
         0,
         0,
         "there is no YAML file in this folder",
         "check the path"}
    );
}

void add_pipeline(workspace& w, const object& o, findings& out) {
    const auto source = [&](std::string_view pointer) {
        return std::string{o.document->source(o.pointer + std::string{pointer})};
    };
    auto read = pipeline::read_pipeline(*o.value, source);
    if (auto* definition = std::get_if<pipeline::definition>(&read)) {
        const auto* first = w.find_pipeline(definition->name.ns, definition->name.name);
        if (first != nullptr) {
            out.error(
                o,
                "/metadata/name",
                fmt::format(
                    "pipeline {} is also at {}", definition->name.text(), first->from.place()
                ),
                "remove one of them"
            );
        }
        w.pipelines.push_back({std::move(*definition), o});
        return;
    }
    for (auto& m : std::get<std::vector<pipeline::mistake>>(read))
        out.error(o, m.pointer, m.message, m.remedy);
}

void add_secret(workspace& w, const object& o, findings& out) {
    known_secret secret{o.name(), {}, &o, ""};
    const auto read = [&](std::string_view field, bool encoded) {
        const auto* values = o.find({field});
        if (values == nullptr || !values->is_object()) return;
        for (const auto& [key, value] : values->items()) {
            if (!value.is_string()) {
                // The value itself is not told: it is a secret.
                out.error(
                    o,
                    fmt::format("/{}/{}", field, key),
                    fmt::format("{}.{} must be a string", field, key),
                    "write it in quotes"
                );
                continue;
            }
            auto bytes = encoded ? from_base64(value.get_ref<const std::string&>())
                                 : value.get<std::string>();
            if (!bytes) {
                out.error(
                    o,
                    fmt::format("/{}/{}", field, key),
                    fmt::format("data.{} is not base64", key),
                    "encode it, or move it to stringData"
                );
                continue;
            }
            secret.data.insert_or_assign(key, secret_string{std::move(*bytes)});
        }
    };
    read("data", true);
    read("stringData", false); // wins, as Kubernetes has it
    w.secrets.push_back(std::move(secret));
}

} // namespace

workspace read_workspace(const options& o, findings& out) {
    workspace w;
    for (const auto& path : o.paths) add_path(w, path, out);
    if (o.secrets) add_secret_folder(w, *o.secrets, out);
    for (const auto& each : w.objects) {
        if (pipeline::is_pipeline(*each.value)) add_pipeline(w, each, out);
        if (each.text({"apiVersion"}) == "v1" && each.text({"kind"}) == "Secret")
            add_secret(w, each, out);
    }
    return w;
}

} // namespace sluice::lint
