#include "promotion/git/advertisement.hpp"

#include "promotion/git/handles.hpp"
#include "promotion/git/pkt_line.hpp"

#include <fmt/format.h>

namespace sluice::promotion::git {

result<branch_tips> read_advertisement(std::string_view bytes) {
    constexpr std::string_view heads = "refs/heads/";
    branch_tips out;
    pkt_reader pkts{bytes};
    for (int flushes = 0; flushes < 2;) { // one ends the service line, one the refs
        const auto pkt = pkts.next();
        if (pkt.kind == pkt_reader::kind::flush) {
            ++flushes;
            continue;
        }
        if (pkt.kind != pkt_reader::kind::line)
            return error{errc::unavailable, "its list of branches was cut off"};
        auto line = pkt.payload;
        if (line.starts_with("ERR "))
            return error{errc::unavailable, fmt::format("the server says: {}", line.substr(4))};
        line = line.substr(0, line.find('\0'));
        if (line.ends_with('\n')) line.remove_suffix(1);
        git_oid id;
        if (line.size() < GIT_OID_HEXSZ + 2 || !parse_id(line.substr(0, GIT_OID_HEXSZ), id))
            continue;
        const auto name = line.substr(GIT_OID_HEXSZ + 1);
        if (name.starts_with(heads)) out.emplace(name.substr(heads.size()), to_text(id));
    }
    return out;
}

} // namespace sluice::promotion::git
