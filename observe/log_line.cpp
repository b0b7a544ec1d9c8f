#include "observe/log_line.hpp"

#include "observe/utf8.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace sluice::log {
namespace {

// U+0080 to U+009F steer terminals as well; in UTF-8 they are 0xc2 0x80 to 0xc2 0x9f.
bool is_c1_control(std::string_view sequence) noexcept {
    return sequence.size() == 2 && sequence[0] == '\xc2' &&
           static_cast<unsigned char>(sequence[1]) < 0xa0;
}

void append_escaped_byte(std::string& out, char c) {
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
        out += c;
    }
}

// JSON's escapes; the text form uses them too.
void append_escaped(std::string& out, std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto length = observe::utf8_sequence(text, i);
        const auto sequence = text.substr(i, length);
        if (length == 0) {
            out += observe::replacement_character;
        } else if (length == 1) {
            append_escaped_byte(out, text[i]);
        } else if (is_c1_control(sequence)) {
            fmt::format_to(
                std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(sequence[1])
            );
        } else {
            out += sequence;
        }
        i += length == 0 ? 1 : length;
    }
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    append_escaped(out, text);
    out += '"';
}

bool needs_quotes(std::string_view text) noexcept {
    return text.empty() || text.find_first_of(" \"=\\") != std::string_view::npos;
}

void append_time(std::string& out, time_point now) {
    using namespace std::chrono;
    const auto day = floor<days>(now);
    const year_month_day date{day};
    const hh_mm_ss time{now - day};
    fmt::format_to(
        std::back_inserter(out),
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count(),
        time.subseconds().count()
    );
}

struct value_writer {
    std::string& out;
    log::format format;

    void operator()(std::string_view text) const {
        if (format == format::text && !needs_quotes(text)) {
            append_escaped(out, text);
        } else {
            append_quoted(out, text);
        }
    }
    void operator()(std::int64_t number) const {
        fmt::format_to(std::back_inserter(out), "{}", number);
    }
    void operator()(double number) const {
        // JSON has no word for these.
        if (format == format::json && !std::isfinite(number)) {
            out += "null";
        } else {
            fmt::format_to(std::back_inserter(out), "{}", number);
        }
    }
    void operator()(bool flag) const { out += flag ? "true" : "false"; }
};

void append_json(std::string& out, time_point now, level l, std::string_view message, fields fs) {
    out += R"({"ts":")";
    append_time(out, now);
    out += R"(","level":")";
    out += to_string(l);
    out += R"(","msg":)";
    append_quoted(out, message);
    for (const auto& f : fs) {
        out += ',';
        append_quoted(out, f.name);
        out += ':';
        std::visit(value_writer{out, format::json}, f.value);
    }
    out += '}';
}

void append_text(std::string& out, time_point now, level l, std::string_view message, fields fs) {
    append_time(out, now);
    fmt::format_to(std::back_inserter(out), " {:<5} ", to_string(l));
    append_escaped(out, message);
    for (const auto& f : fs) {
        out += ' ';
        append_escaped(out, f.name);
        out += '=';
        std::visit(value_writer{out, format::text}, f.value);
    }
}

} // namespace

std::string_view to_string(level l) noexcept {
    switch (l) {
    case level::debug: return "debug";
    case level::info: return "info";
    case level::warn: return "warn";
    case level::error: return "error";
    }
    return "error";
}

std::string format_line(format f, time_point now, level l, std::string_view message, fields fs) {
    std::string line;
    line.reserve(256);
    if (f == format::json) {
        append_json(line, now, l, message, fs);
    } else {
        append_text(line, now, l, message, fs);
    }
    line += '\n';
    return line;
}

} // namespace sluice::log
