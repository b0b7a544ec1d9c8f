#pragma once

#include "base/result.hpp"
#include "net/http_client.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::net::client {

// The bytes of one answer become its head and its body. No I/O.
class answer_reader {
public:
    // `without_body`: the answer to HEAD or CONNECT.
    answer_reader(std::string host, bool without_body);
    ~answer_reader();
    answer_reader(answer_reader&&) noexcept;
    answer_reader& operator=(answer_reader&&) noexcept;

    // errc::unavailable when this is not HTTP, payload_too_large when the head is without end.
    [[nodiscard]] outcome take(std::string_view bytes);
    // The peer ended the connection. An error unless that is the end of the body.
    [[nodiscard]] outcome end();

    [[nodiscard]] bool got_some() const noexcept { return got_some_; }
    [[nodiscard]] bool has_head() const noexcept;
    [[nodiscard]] bool done() const noexcept;
    // Done, and nothing speaks against another request on this connection.
    [[nodiscard]] bool keep_alive() const;
    // Status and headers, once has_head(). Its body stays empty.
    [[nodiscard]] http_answer take_head();
    // What came since the last call.
    [[nodiscard]] std::string take_body();
    // Of the body, as its head says; for not even beginning to read what is too large.
    [[nodiscard]] std::optional<std::uint64_t> announced() const;

private:
    class parser;
    void begin();
    [[nodiscard]] error endless_head() const;

    std::string host_;
    bool without_body_;
    std::unique_ptr<parser> parser_;
    std::string unparsed_;
    bool got_some_ = false;
    int interim_ = 0;
};

} // namespace sluice::net::client
