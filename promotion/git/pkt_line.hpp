#pragma once

#include <optional>
#include <string>
#include <string_view>

// Git's framing: four hexadecimal digits of length, then the bytes.
namespace sluice::promotion::git {

inline constexpr std::string_view flush_pkt = "0000";

void append_pkt(std::string& out, std::string_view payload);

class pkt_reader {
public:
    explicit pkt_reader(std::string_view bytes) : rest_(bytes) {}

    enum class kind { line, flush, end, broken };
    struct pkt {
        pkt_reader::kind kind;
        std::string_view payload;
    };
    [[nodiscard]] pkt next();

private:
    std::string_view rest_;
};

} // namespace sluice::promotion::git
