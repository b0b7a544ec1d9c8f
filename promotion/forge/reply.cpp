#include "promotion/forge/reply.hpp"

#include "promotion/text/markdown.hpp"

#include <charconv>

namespace sluice::promotion::forge {
namespace {

using nlohmann::json;

constexpr std::size_t longest_message = 300;

void append(std::string& text, const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += "; ";
    text += part;
}

// GitHub: {"field":"head","code":"invalid"}; GitLab: {"title":["is too long"]}.
std::string words_of(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    std::string text;
    if (value.is_array()) {
        for (const auto& each : value) append(text, words_of(each));
    } else if (value.is_object()) {
        if (const auto said = text_of(value, "message"); !said.empty()) return said;
        for (const auto& [key, each] : value.items()) {
            if (each.is_string() || each.is_array()) append(text, key + ": " + words_of(each));
        }
    }
    return text;
}

std::string without(std::string text, std::string_view secret) {
    if (secret.empty()) return text;
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret)) {
        text.replace(at, secret.size(), "…");
    }
    return text;
}

bool is_json(const net::http_answer& answer) {
    const auto type = answer.header("content-type");
    return type && type->find("json") != std::string_view::npos;
}

error trouble(const net::http_answer& answer, std::string_view forge) {
    error e{
        errc::unavailable,
        std::string{forge} + " answered with status " + std::to_string(answer.status) +
            "; tried again later"
    };
    if (const auto text = answer.header("retry-after")) {
        int seconds = 0;
        std::from_chars(text->data(), text->data() + text->size(), seconds);
        if (seconds > 0) e.retry_after = std::chrono::seconds{std::min(seconds, 3600)};
    }
    return e;
}

std::int64_t total_of(const net::http_answer& answer) {
    const auto text = answer.header("x-total-count");
    std::int64_t total = -1;
    if (text) std::from_chars(text->data(), text->data() + text->size(), total);
    return total;
}

} // namespace

std::string text_of(const json& object, std::string_view key) {
    const auto& value = member(object, key);
    return value.is_string() ? value.get<std::string>() : std::string{};
}

std::int64_t number_of(const json& object, std::string_view key) {
    const auto& value = member(object, key);
    return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

bool flag_of(const json& object, std::string_view key) {
    const auto& value = member(object, key);
    return value.is_boolean() && value.get<bool>();
}

const json& member(const json& object, std::string_view key) {
    static const json none = json::object();
    if (!object.is_object()) return none;
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? none : *found;
}

std::string message_of(const json& body, std::string_view token) {
    std::string said;
    for (const auto* key : {"message", "error", "error_description", "errors"}) {
        append(said, words_of(member(body, key)));
    }
    return text::shortened(text::one_line(without(std::move(said), token)), longest_message);
}

std::string next_page(std::string_view link) {
    const auto rel = link.find("rel=\"next\"");
    if (rel == std::string_view::npos) return {};
    const auto end = link.rfind('>', rel);
    const auto begin = link.rfind('<', rel);
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
    const auto url = net::parse_url(link.substr(begin + 1, end - begin - 1));
    return url ? url->target : std::string{};
}

result<reply>
read_reply(const net::http_answer& answer, std::string_view forge, std::string_view token) {
    if (answer.status >= 500 || answer.status == 408) return trouble(answer, forge);
    if (answer.status >= 300 && answer.status < 400) {
        return error{
            errc::unprocessable,
            std::string{forge} + " sends on to another address: check url and apiURL (renamed? "
                                 "http for https? token?)"
        };
    }
    reply read;
    read.status = answer.status;
    if (!answer.body.empty()) {
        if (is_json(answer)) read.body = json::parse(answer.body, nullptr, false);
        // Sign-in pages come with any status, 200 among them.
        if (!is_json(answer) || read.body.is_discarded()) {
            return error{
                errc::unprocessable,
                std::string{forge} + " answered with a web page: check the token and apiURL"
            };
        }
    }
    if (!read.ok()) read.message = message_of(read.body, token);
    if (const auto link = answer.header("link")) read.next = next_page(*link);
    read.total = total_of(answer);
    return read;
}

error refusal(const reply& r, std::string_view forge, std::string_view doing) {
    const auto text = [&](std::string_view remedy) {
        auto all = "cannot " + std::string{doing} + ": " + std::string{forge} + " says " +
                   std::to_string(r.status);
        if (!r.message.empty()) all += " (" + r.message + ")";
        return all + (remedy.empty() ? "" : "; ") + std::string{remedy};
    };
    if (r.says("archived") || r.status == 423) {
        return {
            errc::conflict,
            text("the repository is archived: unarchive it or change the Pipeline's url")
        };
    }
    switch (r.status) {
    case 401:
        return {
            errc::unauthenticated, text("check the token in the Secret: wrong, expired or revoked")
        };
    case 403:
        return {
            errc::unauthenticated,
            text("the token may not do this: it needs to read and write code and pull requests of "
                 "the repository")
        };
    case 404:
        return {
            errc::not_found,
            text("check url and apiURL, and whether the token may see the repository")
        };
    case 409: return {errc::conflict, text("")};
    default: return {errc::unprocessable, text("")};
    }
}

} // namespace sluice::promotion::forge
