#pragma once

#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The JSON of an event, read in one pass without a tree: the members of the body, of involvedObject and of metadata.
// Whether it is a Flux event or a trigger is known only at the end, so types are checked when a member is asked for.
namespace sluice::pipeline {

enum class json_type { null, boolean, number, string, array, object };

struct json_member {
    std::string name;
    json_type type = json_type::null;
    std::string text;  // of a string
    bool flag = false; // of a boolean
};

// One JSON object's members. Errors name the JSON path.
class json_members {
public:
    explicit json_members(std::string_view path) : path_(path) { members_.reserve(usual); }

    [[nodiscard]] const json_member* find(std::string_view name) const;
    // A missing or null member is absent; one of another type is errc::invalid_argument.
    [[nodiscard]] result<std::optional<std::string_view>> text(std::string_view name) const;
    [[nodiscard]] result<std::optional<bool>> flag(std::string_view name) const;
    // A missing, null or empty one is errc::invalid_argument too.
    [[nodiscard]] result<std::string_view> required_text(std::string_view name) const;
    // "/metadata/helm.toolkit.fluxcd.io~1revision"
    [[nodiscard]] std::string path_of(std::string_view name) const;

    [[nodiscard]] const std::vector<json_member>& all() const { return members_; }
    void add(json_member m) { members_.push_back(std::move(m)); }

private:
    [[nodiscard]] error wrong_type(const json_member& m, std::string_view wanted) const;

    static constexpr std::size_t usual = 10; // of an event of Flux
    std::string_view path_;                  // a literal
    std::vector<json_member> members_;
};

struct event_document {
    json_members body{""};
    json_members involved_object{"/involvedObject"};
    json_members metadata{"/metadata"};
};

// Refuses what is not one UTF-8 JSON object, repeated members, more than 64 levels, more than 256 members.
[[nodiscard]] result<event_document> read_event_document(std::string_view body);

} // namespace sluice::pipeline
