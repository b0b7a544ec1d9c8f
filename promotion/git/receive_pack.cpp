#include "promotion/git/receive_pack.hpp"

#include "promotion/git/pkt_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sluice::promotion::git {
namespace {

using namespace std::string_view_literals;
constexpr std::string_view no_commit = "0000000000000000000000000000000000000000";
// A NUL stands before what we can do.
constexpr auto capabilities = "\0 report-status side-band-64k agent=git/sluice"sv;
constexpr std::size_t longest_remark = 1'000;

struct buffer {
    git_buf bytes = GIT_BUF_INIT;
    buffer() = default;
    ~buffer() { git_buf_dispose(&bytes); }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
};

outcome
append_pack(std::string& out, git_repository* repository, const std::vector<git_oid>& objects) {
    packbuilder_ptr pack;
    buffer written;
    int code = open_into(pack, git_packbuilder_new, repository);
    if (code == 0) git_packbuilder_set_threads(pack.get(), 1);
    for (auto it = objects.begin(); code == 0 && it != objects.end(); ++it)
        code = git_packbuilder_insert(pack.get(), &*it, nullptr);
    if (code == 0) code = git_packbuilder_write_buf(&written.bytes, pack.get());
    if (code != 0)
        return error{errc::unavailable, fmt::format("cannot make the pack: {}", last_error())};
    out.append(written.bytes.ptr, written.bytes.size);
    return {};
}

std::string_view trimmed(std::string_view text) {
    while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

struct channels {
    std::string report;
    std::string remarks; // what hooks and the server print for a person
    bool died = false;   // the server told so as its last word
};

// Takes the sideband apart. A server that refuses early may answer without one.
channels split(std::string_view answer) {
    channels out;
    pkt_reader pkts{answer};
    for (;;) {
        const auto pkt = pkts.next();
        if (pkt.kind == pkt_reader::kind::end || pkt.kind == pkt_reader::kind::broken) return out;
        if (pkt.kind == pkt_reader::kind::flush || pkt.payload.empty()) continue;
        const char channel = pkt.payload.front();
        if (channel == 1) {
            out.report += pkt.payload.substr(1);
        } else if (channel == 2 || channel == 3) {
            out.remarks += pkt.payload.substr(1);
            out.died = out.died || channel == 3;
        } else {
            append_pkt(out.report, pkt.payload);
        }
    }
}

struct report {
    std::string unpack;                      // empty: not told
    std::string refusal;                     // of everything, before anything was unpacked
    std::map<std::string, std::string> refs; // what was said of each; empty: done
};

report read_lines(std::string_view bytes) {
    report out;
    pkt_reader pkts{bytes};
    for (;;) {
        const auto pkt = pkts.next();
        if (pkt.kind != pkt_reader::kind::line) return out;
        const auto line = trimmed(pkt.payload);
        if (line.starts_with("unpack ")) out.unpack = line.substr(7);
        if (line.starts_with("ERR ")) out.refusal = line.substr(4);
        if (line.starts_with("ok ")) out.refs.emplace(line.substr(3), "");
        if (!line.starts_with("ng ")) continue;
        const auto space = line.find(' ', 3);
        const auto why =
            space == std::string_view::npos ? std::string_view{"refused"} : line.substr(space + 1);
        out.refs.emplace(line.substr(3, space - 3), why);
    }
}

} // namespace

result<std::string> push_request(
    git_repository* repository,
    const std::vector<ref_update>& updates,
    const std::vector<git_oid>& objects
) {
    std::string out;
    const auto or_none = [](const std::string& id) { return id.empty() ? no_commit : id; };
    for (const auto& u : updates)
        append_pkt(
            out,
            fmt::format(
                "{} {} refs/heads/{}{}",
                or_none(u.expected),
                or_none(u.target),
                u.branch,
                out.empty() ? capabilities : ""
            )
        );
    out += flush_pkt;
    // Deleting alone sends none; everything else sends one, an empty one too.
    if (std::ranges::all_of(updates, [](const auto& u) { return u.target.empty(); })) return out;
    if (auto packed = append_pack(out, repository, objects); !packed) return packed.error();
    return out;
}

result<std::vector<ref_status>>
read_report(std::string_view answer, const std::vector<ref_update>& updates) {
    const auto heard = split(answer);
    const auto said = read_lines(heard.report);
    const bool silent = said.unpack.empty() && said.refusal.empty() && said.refs.empty();
    if (silent && heard.remarks.empty())
        return error{errc::unavailable, "the answer to the push was cut off"};
    const auto remark = trimmed(std::string_view{heard.remarks}.substr(
        heard.remarks.size() - std::min(heard.remarks.size(), longest_remark)
    ));
    const auto told = [&](std::string_view why) {
        return remark.empty() ? std::string{why} : fmt::format("{} ({})", why, remark);
    };
    const bool unpacked = said.unpack == "ok";
    const bool unwell = !unpacked && (!said.unpack.empty() || (silent && heard.died));
    const auto of_all = [&]() -> std::string_view {
        if (!said.refusal.empty()) return said.refusal;
        if (unwell && !said.unpack.empty()) return said.unpack;
        return "the server said nothing about it";
    }();
    std::vector<ref_status> out;
    for (const auto& u : updates) {
        const auto at = said.refs.find("refs/heads/" + u.branch);
        if (at != said.refs.end() && at->second.empty() && unpacked) {
            out.push_back({true, {}});
        } else if (at != said.refs.end() && !at->second.empty()) {
            out.push_back({false, told(at->second), unwell});
        } else {
            out.push_back({false, told(of_all), unwell});
        }
    }
    return out;
}

} // namespace sluice::promotion::git
