#include "pipeline/event_document.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::pipeline {
namespace {

// No Flux event nests deeper than 3 or has more than a dozen members; these bound what a signed body can cost.
constexpr std::size_t deepest = 64;
constexpr std::size_t most_members = 256;

// nlohmann's SAX events. Everything below the three objects of interest is checked for form and dropped.
class document_reader {
public:
    using json = nlohmann::json;

    explicit document_reader(event_document& into) : into_(into) {}

    bool null() { return value(json_type::null); }
    bool boolean(bool b) { return value(json_type::boolean, {}, b); }
    bool number_integer(json::number_integer_t /*n*/) { return value(json_type::number); }
    bool number_unsigned(json::number_unsigned_t /*n*/) { return value(json_type::number); }
    bool number_float(json::number_float_t /*n*/, const std::string& /*text*/) {
        return value(json_type::number);
    }
    bool string(std::string& s) { return value(json_type::string, std::move(s)); }
    bool binary(json::binary_t& /*b*/) { return refuse("body: is not JSON"); }

    bool start_object(std::size_t /*elements*/) {
        if (depth_ > 0 && !value(json_type::object)) return false;
        if (depth_ == 1) section_ = member_of_interest();
        return go_deeper();
    }
    bool end_object() { return come_back(); }
    bool start_array(std::size_t /*elements*/) {
        if (!value(json_type::array)) return false;
        if (depth_ == 1) section_ = nullptr;
        return go_deeper();
    }
    bool end_array() { return come_back(); }

    bool key(std::string& name) {
        auto* const members = here();
        if (members == nullptr) return true;
        if (members->find(name) != nullptr)
            return refuse(members->path_of(name) + ": is there twice");
        if (members->all().size() == most_members) {
            return refuse(fmt::format("body: has an object with more than {} members", most_members)
            );
        }
        name_ = std::move(name);
        return true;
    }

    // What the sender wrote is not repeated: it may be anything.
    bool parse_error(
        std::size_t position, const std::string& /*token*/, const json::exception& /*why*/
    ) {
        return refuse(fmt::format("body: is not valid JSON in UTF-8 at byte {}", position));
    }

    [[nodiscard]] const std::string& refusal() const { return refusal_; }

private:
    // The object whose members are kept, if the reader stands in one.
    json_members* here() {
        if (depth_ == 1) return &into_.body;
        return depth_ == 2 ? section_ : nullptr;
    }

    bool value(json_type type, std::string text = {}, bool flag = false) {
        if (depth_ == 0) return refuse("body: must be a JSON object");
        auto* const members = here();
        if (members != nullptr) members->add({std::move(name_), type, std::move(text), flag});
        return true;
    }

    json_members* member_of_interest() {
        const auto& name = into_.body.all().back().name;
        if (name == "involvedObject") return &into_.involved_object;
        if (name == "metadata") return &into_.metadata;
        return nullptr;
    }

    bool go_deeper() {
        if (++depth_ > deepest)
            return refuse(fmt::format("body: is nested deeper than {}", deepest));
        return true;
    }

    bool come_back() {
        --depth_;
        return true;
    }

    bool refuse(std::string why) {
        refusal_ = std::move(why);
        return false;
    }

    event_document& into_;
    json_members* section_ = nullptr; // what the members two levels deep belong to
    std::string name_;
    std::size_t depth_ = 0;
    std::string refusal_;
};

} // namespace

result<event_document> read_event_document(std::string_view body) {
    if (body.empty()) return error{errc::invalid_argument, "body: is empty, must be a JSON object"};
    // The parser takes a zero byte for the end and would not look at what follows.
    if (body.find('\0') != std::string_view::npos) {
        return error{errc::invalid_argument, "body: holds a zero byte, must be a JSON object"};
    }
    event_document document;
    document_reader reader{document};
    if (!nlohmann::json::sax_parse(body.begin(), body.end(), &reader)) {
        return error{errc::invalid_argument, reader.refusal()};
    }
    return document;
}

} // namespace sluice::pipeline
