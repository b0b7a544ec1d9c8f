#include "server/router.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace sluice::server {

namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Appends the decoded segment; false on a broken escape or an encoded NUL. The room for it is there already.
bool decode(std::string_view segment, std::vector<char>& out) {
    for (std::size_t i = 0; i < segment.size(); ++i) {
        char c = segment[i];
        if (c == '%') {
            if (i + 2 >= segment.size()) return false;
            const int high = hex_digit(segment[i + 1]);
            const int low = hex_digit(segment[i + 2]);
            if (high < 0 || low < 0 || (high == 0 && low == 0)) return false;
            c = static_cast<char>(high * 16 + low);
            i += 2;
        }
        out.push_back(c);
    }
    return true;
}

bool names_something(std::string_view segment) {
    return !segment.empty() && segment != "." && segment != "..";
}

} // namespace

std::string_view params::operator[](std::string_view name) const {
    for (const auto& e : entries_) {
        if (e.name == name) return e.value;
    }
    throw std::out_of_range("no such path parameter: " + std::string(name));
}

router::pattern router::parse_pattern(const std::string& text) {
    if (!text.starts_with('/')) throw std::invalid_argument("a route starts with '/': " + text);
    pattern parsed;
    for (std::size_t begin = 1; begin <= text.size();) {
        const std::size_t end = std::min(text.find('/', begin), text.size());
        const std::string part = text.substr(begin, end - begin);
        const bool is_param = part.starts_with('{') && part.ends_with('}');
        if (part == "{}" || (part.empty() && text.size() > 1)) {
            throw std::invalid_argument("a route has an empty segment: " + text);
        }
        parsed.push_back({is_param ? part.substr(1, part.size() - 2) : part, is_param});
        begin = end + 1;
    }
    return parsed;
}

router::router(std::vector<route> routes, std::vector<std::string> reserved)
    : fixed_first_(std::move(reserved)) {
    std::vector<pattern> parsed;
    for (const auto& r : routes) {
        parsed.push_back(parse_pattern(r.pattern));
        if (!parsed.back().front().is_param) fixed_first_.push_back(parsed.back().front().text);
    }
    // Fixed before {name}, from the left, else as given: the first that fits is the one that wins.
    std::vector<std::size_t> order(routes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto shape = [&](std::size_t i) {
        std::string s;
        for (const auto& part : parsed[i]) s.push_back(part.is_param ? '1' : '0');
        return s;
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::make_pair(shape(a), a) < std::make_pair(shape(b), b);
    });
    for (const std::size_t i : order) {
        routes_.push_back(std::move(routes[i]));
        patterns_.push_back(std::move(parsed[i]));
    }
}

bool router::fits(const pattern& p, const path_segments& path, bool first_is_fixed) const {
    if (p.size() != path.size() || (p.front().is_param && first_is_fixed)) return false;
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (p[i].is_param ? !names_something(path[i]) : p[i].text != path[i]) return false;
    }
    return true;
}

route_match router::match(std::string_view method, std::string_view path) const {
    route_match result;
    if (!path.starts_with('/')) return result;
    path_segments segments;
    if (path.find('%') != std::string_view::npos) result.params.decoded_.reserve(path.size());
    for (std::size_t begin = 1; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        std::string_view part = path.substr(begin, end - begin);
        if (part.find('%') != std::string_view::npos) {
            auto& out = result.params.decoded_;
            const std::size_t start = out.size();
            if (!decode(part, out)) {
                result.kind = routing::malformed;
                return result;
            }
            part = {out.data() + start, out.size() - start};
        }
        segments.push_back(part);
        begin = end + 1;
    }

    const bool first_is_fixed =
        std::find(fixed_first_.begin(), fixed_first_.end(), segments.front()) != fixed_first_.end();
    const std::string_view wanted = method == "HEAD" ? std::string_view{"GET"} : method;
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        if (!fits(patterns_[i], segments, first_is_fixed)) continue;
        if (routes_[i].method != wanted) {
            const std::string& other = routes_[i].method;
            result.kind = routing::method_not_allowed;
            result.allow += (result.allow.empty() ? "" : ", ") + other;
            if (other == "GET") result.allow += ", HEAD";
            continue;
        }
        result.kind = routing::matched;
        result.index = i;
        for (std::size_t s = 0; s < segments.size(); ++s) {
            const auto& part = patterns_[i][s];
            if (part.is_param) result.params.entries_.push_back({part.text, segments[s]});
        }
        return result;
    }
    return result;
}

} // namespace sluice::server
