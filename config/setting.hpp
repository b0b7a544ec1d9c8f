#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// What a setting is: its names, its kind and the member of `settings` it fills. The table of all is in table.cpp.
// No setting holds a secret, only paths to files that do: arguments, environment and --print-config are read by others.
namespace sluice::config {

struct settings;

// Says what is wrong with a text and what to write instead; empty when it is right.
using text_check = std::string (*)(std::string_view);

struct text_field {
    std::string (*get)(const settings&);
    void (*set)(settings&, const std::string&);
    text_check check;
};

struct list_field {
    const std::vector<std::string>& (*get)(const settings&);
    void (*set)(settings&, const std::vector<std::string>&);
    text_check check; // of each element
};

struct choice_field {
    std::span<const std::string_view> names; // in the order of the enumeration
    std::size_t (*get)(const settings&);
    void (*set)(settings&, std::size_t);
};

enum class unit { count, bytes, milliseconds };

struct number_field {
    config::unit unit;
    std::int64_t least;
    std::int64_t most;
    std::int64_t (*get)(const settings&);
    void (*set)(settings&, std::int64_t);
};

using field = std::variant<text_field, list_field, choice_field, number_field>;

struct setting {
    std::string_view path; // in the file: "limits.body"
    std::string_view
        flag; // "--limit-body"; the environment's name follows from it: SLUICE_LIMIT_BODY
    config::field field;
    std::string_view help;

    [[nodiscard]] std::string environment() const;
};

[[nodiscard]] std::span<const setting> all_settings();

template <auto... Path>
constexpr auto& member(auto& s) {
    return (s.*....*Path);
}

// A field is declared by the way to its member: text<&settings::tls, &tls_files::cert>().
template <auto... Path>
constexpr text_field text(text_check check = nullptr) {
    return {
        [](const settings& s) { return std::string{member<Path...>(s)}; },
        [](settings& s, const std::string& v) { member<Path...>(s) = v; },
        check,
    };
}

template <auto... Path>
constexpr list_field list(text_check check = nullptr) {
    return {
        [](const settings& s) -> const std::vector<std::string>& { return member<Path...>(s); },
        [](settings& s, const std::vector<std::string>& v) { member<Path...>(s) = v; },
        check,
    };
}

template <auto... Path>
constexpr choice_field choice(std::span<const std::string_view> names) {
    return {
        names,
        [](const settings& s) { return static_cast<std::size_t>(member<Path...>(s)); },
        [](settings& s, std::size_t i) {
            auto& value = member<Path...>(s);
            value = static_cast<std::remove_reference_t<decltype(value)>>(i);
        },
    };
}

template <auto... Path>
constexpr number_field number(unit u, std::int64_t least, std::int64_t most) {
    return {
        u,
        least,
        most,
        [](const settings& s) {
            const auto& value = member<Path...>(s);
            if constexpr (std::integral<std::remove_cvref_t<decltype(value)>>) {
                return static_cast<std::int64_t>(value);
            } else {
                using std::chrono::milliseconds;
                return std::int64_t{std::chrono::duration_cast<milliseconds>(value).count()};
            }
        },
        [](settings& s, std::int64_t v) {
            auto& value = member<Path...>(s);
            using type = std::remove_reference_t<decltype(value)>;
            if constexpr (std::integral<type>) {
                value = static_cast<type>(v);
            } else {
                value = std::chrono::duration_cast<type>(std::chrono::milliseconds{v});
            }
        },
    };
}

template <auto... Path>
constexpr number_field count(std::int64_t least, std::int64_t most) {
    return number<Path...>(unit::count, least, most);
}

template <auto... Path>
constexpr number_field bytes(std::int64_t least, std::int64_t most) {
    return number<Path...>(unit::bytes, least, most);
}

template <auto... Path>
constexpr number_field duration(std::chrono::milliseconds least, std::chrono::milliseconds most) {
    return number<Path...>(unit::milliseconds, least.count(), most.count());
}

} // namespace sluice::config
