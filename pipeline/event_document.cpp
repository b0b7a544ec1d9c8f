#include "pipeline/event_document.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace sluice::pipeline {
namespace {

// No Flux event nests deeper than 3 or has more than a dozen members; these bound what a signed body can cost.
constexpr std::size_t deepest = 64;
constexpr std::size_t most_members = 256;

// Boost.JSON's events: for a body of this size it takes a third of the instructions of nlohmann's lexer, which copies every byte for
// its messages. Everything below the three objects of interest is checked for form and dropped.
class document_reader {
public:
    using code = boost::json::error_code;
    // The parser has limits of its own, which must be named; ours are met first.
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = max_object_size;
    static constexpr std::size_t max_key_size = max_object_size;
    static constexpr std::size_t max_string_size = max_object_size;

    explicit document_reader(event_document& into) : into_(into) {}

    bool on_document_begin(code& /*ec*/) { return true; }
    bool on_document_end(code& /*ec*/) { return true; }
    bool on_null(code& ec) { return value(ec, json_type::null); }
    bool on_bool(bool b, code& ec) { return value(ec, json_type::boolean, {}, b); }
    bool on_number_part(std::string_view /*s*/, code& /*ec*/) { return true; }
    bool on_int64(std::int64_t /*n*/, std::string_view /*s*/, code& ec) {
        return value(ec, json_type::number);
    }
    bool on_uint64(std::uint64_t /*n*/, std::string_view /*s*/, code& ec) {
        return value(ec, json_type::number);
    }
    bool on_double(double n, std::string_view /*s*/, code& ec) {
        if (!std::isfinite(n)) return refuse(ec, "body: holds a number too large for JSON readers");
        return value(ec, json_type::number);
    }
    bool on_string_part(std::string_view s, std::size_t /*n*/, code& /*ec*/) {
        text_ += s;
        return true;
    }
    bool on_string(std::string_view s, std::size_t /*n*/, code& ec) {
        text_ += s;
        return value(ec, json_type::string, std::exchange(text_, {}));
    }
    bool on_comment_part(std::string_view /*s*/, code& /*ec*/) { return true; }
    bool on_comment(std::string_view /*s*/, code& /*ec*/) { return true; }

    bool on_object_begin(code& ec) {
        if (depth_ > 0 && !value(ec, json_type::object)) return false;
        if (depth_ == 1) section_ = member_of_interest();
        return go_deeper(ec);
    }
    bool on_object_end(std::size_t /*n*/, code& /*ec*/) { return come_back(); }
    bool on_array_begin(code& ec) {
        if (!value(ec, json_type::array)) return false;
        if (depth_ == 1) section_ = nullptr;
        return go_deeper(ec);
    }
    bool on_array_end(std::size_t /*n*/, code& /*ec*/) { return come_back(); }

    bool on_key_part(std::string_view s, std::size_t /*n*/, code& /*ec*/) {
        text_ += s;
        return true;
    }
    bool on_key(std::string_view s, std::size_t /*n*/, code& ec) {
        text_ += s;
        auto name = std::exchange(text_, {});
        auto* const members = here();
        if (members == nullptr) return true;
        if (members->find(name) != nullptr)
            return refuse(ec, members->path_of(name) + ": is there twice");
        if (members->all().size() == most_members) {
            return refuse(
                ec, fmt::format("body: has an object with more than {} members", most_members)
            );
        }
        name_ = std::move(name);
        return true;
    }

    // Empty when the parser itself stopped.
    [[nodiscard]] const std::string& refusal() const { return refusal_; }

private:
    // The object whose members are kept, if the reader stands in one.
    json_members* here() {
        if (depth_ == 1) return &into_.body;
        return depth_ == 2 ? section_ : nullptr;
    }

    bool value(code& ec, json_type type, std::string text = {}, bool flag = false) {
        if (depth_ == 0) return refuse(ec, "body: must be a JSON object");
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

    bool go_deeper(code& ec) {
        if (++depth_ > deepest)
            return refuse(ec, fmt::format("body: is nested deeper than {}", deepest));
        return true;
    }

    bool come_back() {
        --depth_;
        return true;
    }

    bool refuse(code& ec, std::string why) {
        refusal_ = std::move(why);
        ec = boost::json::error::syntax; // any error ends the parsing
        return false;
    }

    event_document& into_;
    json_members* section_ = nullptr; // what the members two levels deep belong to
    std::string name_;
    std::string text_; // of a string or key that comes in parts
    std::size_t depth_ = 0;
    std::string refusal_;
};

} // namespace

result<event_document> read_event_document(std::string_view body) {
    if (body.empty()) return error{errc::invalid_argument, "body: is empty, must be a JSON object"};
    event_document document;
    boost::json::parse_options strict;
    strict.max_depth = deepest + 1;
    boost::json::basic_parser<document_reader> parser{strict, document};
    boost::json::error_code ec;
    const auto read = parser.write_some(/*more=*/false, body.data(), body.size(), ec);
    if (const auto& why = parser.handler().refusal(); !why.empty())
        return error{errc::invalid_argument, why};
    if (ec || read < body.size()) {
        // What the sender wrote is not repeated: it may be anything.
        return error{
            errc::invalid_argument,
            fmt::format("body: is not valid JSON in UTF-8 at byte {}", read + 1)
        };
    }
    return document;
}

} // namespace sluice::pipeline
