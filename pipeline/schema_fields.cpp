#include "pipeline/schema_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sluice::pipeline::schema {
namespace {

using nlohmann::json;

std::string folded(std::string_view word) {
    std::string out;
    for (const char c : word) {
        if (c == '-' || c == '_') continue;
        out += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    }
    return out;
}

std::size_t edits_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const auto replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string_view name_of(const json& value) {
    if (value.is_string()) return "a string";
    if (value.is_number()) return "a number";
    if (value.is_boolean()) return "true or false";
    if (value.is_array()) return "a list";
    if (value.is_object()) return "a mapping";
    return "nothing";
}

} // namespace

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 80;
    if (text.size() <= longest) return fmt::format("\"{}\"", text);
    auto cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U)
        --cut; // not inside a character
    return fmt::format("\"{}…\"", text.substr(0, cut));
}

std::string listed(const std::vector<std::string_view>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
        out += words[i];
    }
    return out;
}

std::optional<std::string_view>
nearest(std::string_view written, const std::vector<std::string_view>& known) {
    if (written.size() > 64) return std::nullopt;
    const auto wanted = folded(written);
    std::optional<std::string_view> best;
    std::size_t least =
        std::min<std::size_t>(3, wanted.size() / 2 + 1); // at most two edits, fewer in short words
    for (const auto word : known) {
        const auto edits = edits_between(wanted, folded(word));
        if (edits < least) {
            least = edits;
            best = word;
        }
    }
    return best;
}

fields::fields(const json* value, std::string pointer, report& out)
    : pointer_(std::move(pointer)), out_(out) {
    if (value == nullptr) return;
    if (value->is_object()) {
        object_ = value;
        return;
    }
    const auto name = pointer_.substr(pointer_.rfind('/') + 1);
    if (value->is_string() && name == "secretRef") {
        out_.add(
            pointer_,
            "secretRef is a mapping with the Secret's name, not a string",
            fmt::format("write secretRef: {{name: {}}}", value->get_ref<const std::string&>())
        );
        return;
    }
    out_.add(
        pointer_,
        fmt::format(
            "{} must be a mapping, but is {}", name.empty() ? "the document" : name, name_of(*value)
        ),
        "write its fields below it, indented by two spaces"
    );
}

fields::~fields() {
    if (object_ == nullptr || !strict_) return;
    std::vector<std::string_view> known;
    for (const auto& name : known_) {
        if (std::ranges::find(known, name) == known.end()) known.emplace_back(name);
    }
    for (const auto& [name, value] : object_->items()) {
        if (std::ranges::find(known, name) != known.end()) continue;
        const auto meant = nearest(name, known);
        out_.add(
            at(name),
            fmt::format("unknown field {}", shown(name)),
            meant ? fmt::format("did you mean {}?", *meant)
                  : fmt::format("remove it; known here are {}", listed(known))
        );
    }
}

std::string fields::at(std::string_view name) const {
    std::string out = pointer_ + "/";
    for (const char c : name) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

const json* fields::find(std::string_view name) {
    if (object_ == nullptr) return nullptr;
    known_.emplace_back(name);
    const auto found = object_->find(name);
    return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const json* fields::require(std::string_view name, std::string_view remedy) {
    const auto* value = find(name);
    if (value == nullptr && readable())
        mistake(name, fmt::format("{} is missing", name), std::string{remedy});
    return value;
}

bool fields::flag(std::string_view name, bool otherwise) {
    const auto* value = find(name);
    if (value == nullptr) return otherwise;
    if (value->is_boolean()) return value->get<bool>();
    mistake(
        name,
        fmt::format("{} must be true or false, but is {}", name, name_of(*value)),
        "write true or false without quotes"
    );
    return otherwise;
}

std::optional<std::string> fields::text(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_string()) return value->get<std::string>();
    std::string written = out_.source ? out_.source(at(name)) : std::string{};
    if (written.empty() && !value->is_structured()) written = value->dump();
    mistake(
        name,
        fmt::format("{} must be a string, but is {}", name, name_of(*value)),
        value->is_structured() ? "write one line of text"
                               : fmt::format("write it in quotes: \"{}\"", written)
    );
    return std::nullopt;
}

std::string fields::required_text(std::string_view name, std::string_view remedy) {
    if (require(name, remedy) == nullptr) return {};
    auto value = text(name);
    if (value && value->empty())
        mistake(name, fmt::format("{} is empty", name), std::string{remedy});
    return value.value_or("");
}

const json* fields::list(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr || value->is_array()) return value;
    mistake(
        name,
        fmt::format("{} must be a list, but is {}", name, name_of(*value)),
        "begin each item with \"- \""
    );
    return nullptr;
}

bool fields::not_yet(std::string_view name) {
    const bool there = object_ != nullptr && object_->contains(name);
    known_.emplace_back(name);
    if (there)
        mistake(
            name,
            fmt::format("{} is not supported yet", name),
            "remove it until it is; it would have no effect"
        );
    return there;
}

bool fields::moved(std::string_view name, std::string_view message, std::string_view remedy) {
    if (object_ == nullptr || !object_->contains(name)) return false;
    known_.emplace_back(name);
    mistake(name, std::string{message}, std::string{remedy});
    return true;
}

void fields::mistake(std::string_view name, std::string message, std::string remedy) {
    out_.add(at(name), std::move(message), std::move(remedy));
}

void fields::not_one_of(
    std::string_view name, std::string_view written, const std::vector<std::string_view>& known
) {
    const auto meant = nearest(written, known);
    mistake(
        name,
        fmt::format("{} cannot be {}", name, shown(written)),
        meant ? fmt::format("did you mean {}?", *meant) : fmt::format("write {}", listed(known))
    );
}

} // namespace sluice::pipeline::schema
