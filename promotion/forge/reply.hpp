#pragma once

#include "base/result.hpp"
#include "net/http_client.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace sluice::promotion::forge {

// A forge's answer in JSON; `body` is null where it had none.
struct reply {
    int status = 0;
    nlohmann::json body;
    std::string next;        // path and query of the next page (Link: rel="next"), or empty
    std::string message;     // what it says about a refusal, one line, without our token
    std::int64_t total = -1; // X-Total-Count: on all pages, where it tells

    [[nodiscard]] bool ok() const noexcept { return status >= 200 && status < 300; }
    [[nodiscard]] bool says(std::string_view part) const {
        return message.find(part) != std::string::npos;
    }
};

// The refusal's words, wherever this forge puts them: one line, without the token.
[[nodiscard]] std::string message_of(const nlohmann::json& body, std::string_view token);
// From the header Link; the host in it is not followed.
[[nodiscard]] std::string next_page(std::string_view link);

// What no caller can read as anything else: transient trouble, redirects, web pages. `forge` is for people: "GitHub".
[[nodiscard]] result<reply>
read_reply(const net::http_answer& answer, std::string_view forge, std::string_view token);

// A permanent error for a refusal. `doing` completes "cannot …".
[[nodiscard]] error refusal(const reply& r, std::string_view forge, std::string_view doing);

// Members of a forge's JSON that may be missing, null or of another type.
[[nodiscard]] std::string text_of(const nlohmann::json& object, std::string_view key);
[[nodiscard]] std::int64_t number_of(const nlohmann::json& object, std::string_view key);
[[nodiscard]] bool flag_of(const nlohmann::json& object, std::string_view key);
// An empty object when it is missing.
[[nodiscard]] const nlohmann::json& member(const nlohmann::json& object, std::string_view key);

} // namespace sluice::promotion::forge
