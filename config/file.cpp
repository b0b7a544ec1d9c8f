#include "config/source.hpp"
#include "config/suggest.hpp"
#include "yaml/document.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::config {
namespace {

using nlohmann::json;

bool is_group(std::string_view key) {
    const auto all = all_settings();
    return std::any_of(all.begin(), all.end(), [&](const setting& s) {
        return s.path.size() > key.size() && s.path.starts_with(key) && s.path[key.size()] == '.';
    });
}

// What may stand below `group` ("" is the top), and for a key that is right elsewhere its whole path.
std::string suggestion(std::string_view group, std::string_view key) {
    std::vector<std::string_view> here;
    for (const auto& s : all_settings()) {
        const auto dot = s.path.find('.');
        if (group.empty()) {
            here.push_back(s.path.substr(0, dot));
        } else if (dot != std::string_view::npos && s.path.substr(0, dot) == group) {
            here.push_back(s.path.substr(dot + 1));
        }
    }
    if (auto near = did_you_mean(key, here); !near.empty()) return near;
    for (const auto& s : all_settings()) {
        if (s.path.substr(s.path.find('.') + 1) == key) {
            return fmt::format(" (did you mean \"{}\"?)", s.path);
        }
    }
    return {};
}

class file_reader {
public:
    file_reader(const yaml::document& d, std::string_view name) : document_(d), name_(name) {}

    void read_top() {
        for (const auto& [key, value] : document_.value.items()) {
            const auto pointer = yaml::child("", key);
            if (is_group(key)) {
                read_group(key, pointer, value);
            } else {
                read_value("", key, pointer, value);
            }
        }
    }

    reading result;

private:
    void read_group(const std::string& group, const std::string& pointer, const json& values) {
        if (values.is_null()) return; // a group whose lines are all commented out
        if (!values.is_object()) {
            return refuse(
                pointer, group, fmt::format("is a group; write its settings below it, indented")
            );
        }
        for (const auto& [key, value] : values.items()) {
            read_value(group, key, pointer + yaml::child("", key), value);
        }
    }

    void read_value(
        std::string_view group,
        const std::string& key,
        const std::string& pointer,
        const json& value
    ) {
        const auto path = group.empty() ? key : fmt::format("{}.{}", group, key);
        const auto all = all_settings();
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const setting& s) { return s.path == path; });
        if (found == all.end()) {
            return refuse(
                pointer, path, "is not a setting; remove or rename it" + suggestion(group, key)
            );
        }
        const bool is_list = std::holds_alternative<list_field>(found->field);
        std::vector<std::string> written;
        const bool right = is_list && value.is_array()
                               ? std::all_of(
                                     value.begin(),
                                     value.end(),
                                     [&](const json& one) { return append(one, written); }
                                 )
                               : append(value, written);
        if (!right) {
            result.unread.push_back(&*found);
            return refuse(pointer, path, wrong_type(is_list));
        }
        result.assignments.push_back({&*found, std::move(written), place(pointer)});
    }

    static bool append(const json& value, std::vector<std::string>& written) {
        if (value.is_string()) {
            written.push_back(value.get<std::string>());
        } else if (value.is_number_integer()) {
            written.push_back(value.dump());
        } else {
            return false;
        }
        return true;
    }

    static std::string_view wrong_type(bool is_list) {
        return is_list ? "must be a list of texts"
                       : "must be one text or whole number; put texts into quotes";
    }

    std::string place(std::string_view pointer) const {
        const auto at = document_.where(pointer);
        return fmt::format("{}:{}:{}", name_, at.line, at.column);
    }

    void refuse(std::string_view pointer, std::string_view path, std::string_view problem) {
        result.problems.push_back(fmt::format("{}: {} {}", place(pointer), path, problem));
    }

    const yaml::document& document_;
    std::string_view name_;
};

} // namespace

reading unreadable(std::string problem) {
    reading failed;
    failed.problems.push_back(std::move(problem));
    for (const auto& s : all_settings()) failed.unread.push_back(&s);
    return failed;
}

reading read_yaml(std::string_view text, std::string_view name) {
    const auto documents = yaml::read_documents(text);
    if (!documents) return unreadable(fmt::format("{}:{}", name, documents.error().message));
    if (documents->empty()) return {};
    if (documents->size() > 1) {
        const auto second = documents->at(1).where("");
        return unreadable(fmt::format(
            "{}:{}:{}: a second document begins; the configuration is one, remove \"---\"",
            name,
            second.line,
            second.column
        ));
    }
    if (!documents->front().value.is_object()) {
        return unreadable(
            fmt::format("{}:1:1: is not a mapping; write it as \"setting: value\" lines", name)
        );
    }
    file_reader reader{documents->front(), name};
    reader.read_top();
    return std::move(reader.result);
}

} // namespace sluice::config
