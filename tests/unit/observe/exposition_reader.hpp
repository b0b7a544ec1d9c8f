#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice::observe {

// A strict reader of Prometheus' text format: what it does not understand it refuses.
class exposition_reader {
public:
    // name -> type; and `name{label=value,…}` -> value, label values unescaped.
    std::map<std::string, std::string> types;
    std::map<std::string, std::string> help;
    std::map<std::string, double> samples;

    explicit exposition_reader(std::string_view text) {
        if (!text.empty() && text.back() != '\n')
            throw std::runtime_error("no line break at the end");
        while (!text.empty()) {
            const auto end = text.find('\n');
            read_line(text.substr(0, end));
            text.remove_prefix(end + 1);
        }
    }

private:
    void read_line(std::string_view line) {
        if (take(line, "# HELP ")) {
            const auto name = word(line);
            if (!help.emplace(name, unescaped(line, false)).second)
                throw std::runtime_error("HELP twice: " + name);
        } else if (take(line, "# TYPE ")) {
            current_ = word(line);
            if (!help.contains(current_)) throw std::runtime_error("TYPE before HELP: " + current_);
            if (!types.emplace(current_, line).second)
                throw std::runtime_error("TYPE twice: " + current_);
        } else {
            read_sample(line);
        }
    }

    void read_sample(std::string_view line) {
        const auto name_end = line.find_first_of("{ ");
        if (name_end == std::string_view::npos) throw std::runtime_error("no value");
        std::string key{line.substr(0, name_end)};
        if (!key.starts_with(current_))
            throw std::runtime_error("sample outside its family: " + key);
        line.remove_prefix(name_end);
        if (take(line, "{")) {
            key += '{';
            while (!take(line, "}")) {
                if (key.back() != '{' && !take(line, ","))
                    throw std::runtime_error("no comma in " + key);
                if (key.back() != '{') key += ',';
                const auto eq = line.find("=\"");
                if (eq == std::string_view::npos)
                    throw std::runtime_error("no label value in " + key);
                key += std::string{line.substr(0, eq)} + "=";
                line.remove_prefix(eq + 2);
                key += quoted(line);
            }
            key += '}';
        }
        if (!take(line, " ") || line.empty()) throw std::runtime_error("no value: " + key);
        const std::string number{line};
        char* end = nullptr;
        const double value = std::strtod(number.c_str(), &end);
        if (*end != '\0') throw std::runtime_error("bad value: " + number);
        if (!samples.emplace(key, value).second) throw std::runtime_error("series twice: " + key);
    }

    // Reads up to the closing quote, which must not be escaped.
    static std::string quoted(std::string_view& line) {
        std::size_t end = 0;
        while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
        if (end >= line.size()) throw std::runtime_error("label value does not end");
        const auto value = unescaped(line.substr(0, end), true);
        line.remove_prefix(end + 1);
        return value;
    }

    static std::string unescaped(std::string_view text, bool quotes) {
        std::string plain;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] != '\\') {
                plain += text[i];
                continue;
            }
            const char next = i + 1 < text.size() ? text[++i] : '\0';
            if (next == 'n') {
                plain += '\n';
            } else if (next == '\\' || (quotes && next == '"')) {
                plain += next;
            } else {
                throw std::runtime_error("bad escape");
            }
        }
        return plain;
    }

    static bool take(std::string_view& line, std::string_view prefix) {
        if (!line.starts_with(prefix)) return false;
        line.remove_prefix(prefix.size());
        return true;
    }

    static std::string word(std::string_view& line) {
        const auto end = line.find(' ');
        if (end == std::string_view::npos) throw std::runtime_error("comment too short");
        const std::string w{line.substr(0, end)};
        line.remove_prefix(end + 1);
        return w;
    }

    std::string current_;
};

} // namespace sluice::observe
