#pragma once

#include "pipeline/schema.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Reads the fields of one JSON object and collects what is wrong with them. A field that nobody asked for is unknown.
namespace sluice::pipeline::schema {

struct report {
    const source_text& source;
    std::vector<mistake> mistakes;

    void add(std::string pointer, std::string message, std::string remedy) {
        mistakes.push_back({std::move(pointer), std::move(message), std::move(remedy)});
    }
};

// A closed choice: what is written, and what it means.
template <class Value>
struct choice {
    std::string_view text;
    Value value;
};

class fields {
public:
    // `value` may be null (the field is missing, which was told already) or not an object (told here).
    fields(const nlohmann::json* value, std::string pointer, report& out);
    // Tells the unknown fields.
    ~fields();
    fields(const fields&) = delete;
    fields& operator=(const fields&) = delete;

    [[nodiscard]] bool readable() const noexcept { return object_ != nullptr; }
    [[nodiscard]] std::string at(std::string_view name) const;
    // Null when absent. Null is absent, as Kubernetes has it.
    [[nodiscard]] const nlohmann::json* find(std::string_view name);
    [[nodiscard]] const nlohmann::json* require(std::string_view name, std::string_view remedy);

    [[nodiscard]] bool flag(std::string_view name, bool otherwise);
    [[nodiscard]] std::optional<std::string> text(std::string_view name);
    [[nodiscard]] std::string required_text(std::string_view name, std::string_view remedy);
    [[nodiscard]] const nlohmann::json* list(std::string_view name);

    template <class Value>
    [[nodiscard]] Value
    choose(std::string_view name, std::span<const choice<Value>> choices, Value otherwise) {
        const auto written = text(name);
        if (!written) return otherwise;
        std::vector<std::string_view> known;
        for (const auto& c : choices) {
            if (c.text == *written) return c.value;
            known.push_back(c.text);
        }
        not_one_of(name, *written, known);
        return otherwise;
    }

    // A field of DESIGN's schema whose feature is not built yet. True when it is there.
    bool not_yet(std::string_view name);
    // A field of an older shape. True when it is there.
    bool moved(std::string_view name, std::string_view message, std::string_view remedy);
    // Fields that are Kubernetes' own business here.
    void accept_all() noexcept { strict_ = false; }
    void mistake(std::string_view name, std::string message, std::string remedy);

private:
    void not_one_of(
        std::string_view name, std::string_view written, const std::vector<std::string_view>& known
    );

    const nlohmann::json* object_ = nullptr;
    std::string pointer_;
    report& out_;
    bool strict_ = true;
    std::vector<std::string> known_;
};

// Quoted and cut to a length that fits a line.
[[nodiscard]] std::string shown(std::string_view text);
// "a", "b" or "c".
[[nodiscard]] std::string listed(const std::vector<std::string_view>& words);
// The word someone most likely meant, if one is near enough.
[[nodiscard]] std::optional<std::string_view>
nearest(std::string_view written, const std::vector<std::string_view>& known);

} // namespace sluice::pipeline::schema
