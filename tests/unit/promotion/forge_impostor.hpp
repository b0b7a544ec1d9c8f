#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <nlohmann/json.hpp>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::tests {

struct seen_request {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers; // names in lower case
    nlohmann::json body;                        // null: none

    [[nodiscard]] std::string path() const { return target.substr(0, target.find('?')); }
    [[nodiscard]] std::string header(const std::string& name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? std::string{} : found->second;
    }
};

struct played_answer {
    int status = 200;
    std::string body;
    std::string type = "application/json; charset=utf-8";
    std::vector<std::pair<std::string, std::string>> headers;
};

[[nodiscard]] played_answer plays(int status, const nlohmann::json& body);
[[nodiscard]] played_answer plays(int status); // without a body
[[nodiscard]] played_answer with(played_answer a, std::string name, std::string value);
[[nodiscard]] played_answer sign_in_page(int status);

// Plays a forge on loopback: answers as scripted and keeps what it was asked. It lives on the loop of the client it is
// asked by. With SLUICE_RECORDED_REQUESTS set, what it was asked is also appended to that file for tests/openapi.
class forge_impostor {
public:
    forge_impostor(boost::asio::io_context& loop, std::string name);
    ~forge_impostor();
    forge_impostor(const forge_impostor&) = delete;
    forge_impostor& operator=(const forge_impostor&) = delete;

    // Answers to "POST /path" one after the other, without regard to the query; the last one stays. "PATCH *" takes what
    // nothing else does.
    void on(const std::string& what, std::vector<played_answer> answers);
    [[nodiscard]] std::string url() const;

    [[nodiscard]] const std::vector<seen_request>& requests() const noexcept { return requests_; }
    [[nodiscard]] std::vector<seen_request> requests(const std::string& what) const;
    // The only one of these.
    [[nodiscard]] seen_request request(const std::string& what) const;

private:
    struct session;
    void accept();
    played_answer take(const seen_request& asked);

    std::string name_;
    boost::asio::ip::tcp::acceptor acceptor_;
    std::map<std::string, std::deque<played_answer>> script_;
    std::vector<seen_request> requests_;
    std::vector<std::weak_ptr<session>> sessions_;
};

} // namespace sluice::tests
