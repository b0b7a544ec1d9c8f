#include "tests/unit/promotion/forge_impostor.hpp"

#include "tests/support/catch.hpp"

#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace sluice::tests {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

seen_request parsed(const std::string& head) {
    seen_request r;
    const auto line = head.substr(0, head.find("\r\n"));
    const auto first = line.find(' ');
    const auto second = line.rfind(' ');
    r.method = line.substr(0, first);
    r.target = line.substr(first + 1, second - first - 1);
    for (auto at = line.size() + 2; at < head.size();) {
        const auto end = head.find("\r\n", at);
        const auto colon = head.find(": ", at);
        if (end == at || colon == std::string::npos || colon > end) break;
        r.headers.emplace(
            lower(head.substr(at, colon - at)), head.substr(colon + 2, end - colon - 2)
        );
        at = end + 2;
    }
    return r;
}

std::string bytes_of(const played_answer& a) {
    auto text = "HTTP/1.1 " + std::to_string(a.status) +
                " Played\r\nContent-Length: " + std::to_string(a.body.size()) + "\r\n";
    if (!a.body.empty()) text += "Content-Type: " + a.type + "\r\n";
    for (const auto& [name, value] : a.headers) text += name + ": " + value + "\r\n";
    return text + "\r\n" + a.body;
}

void record(const std::string& name, const seen_request& r) {
    const char* file = std::getenv("SLUICE_RECORDED_REQUESTS");
    if (file == nullptr) return;
    const nlohmann::json line{
        {"api", name}, {"method", r.method}, {"target", r.target}, {"body", r.body}
    };
    std::ofstream{file, std::ios::app} << line.dump() + "\n";
}

} // namespace

played_answer plays(int status, const nlohmann::json& body) {
    played_answer a;
    a.status = status;
    a.body = body.dump();
    return a;
}

played_answer plays(int status) {
    played_answer a;
    a.status = status;
    return a;
}

played_answer with(played_answer a, std::string name, std::string value) {
    a.headers.emplace_back(std::move(name), std::move(value));
    return a;
}

played_answer sign_in_page(int status) {
    played_answer a;
    a.status = status;
    a.type = "text/html; charset=utf-8";
    a.body = "<!DOCTYPE html><html><title>Sign in</title></html>";
    return a;
}

// One connection, kept alive by its own handlers.
struct forge_impostor::session : std::enable_shared_from_this<session> {
    session(tcp::socket s, forge_impostor& o) : socket(std::move(s)), of(o) {}

    void read_head() {
        boost::asio::async_read_until(
            socket,
            boost::asio::dynamic_buffer(buffer),
            "\r\n\r\n",
            [self = shared_from_this()](error_code ec, std::size_t size) {
                if (ec) return;
                self->asked = parsed(self->buffer.substr(0, size));
                self->buffer.erase(0, size);
                self->read_body();
            }
        );
    }
    void read_body() {
        const auto length = asked.header("content-length");
        const auto size = length.empty() ? 0 : std::stoul(length);
        const auto missing = size > buffer.size() ? size - buffer.size() : 0;
        boost::asio::async_read(
            socket,
            boost::asio::dynamic_buffer(buffer),
            boost::asio::transfer_exactly(missing),
            [self = shared_from_this(), size](error_code ec, std::size_t) {
                if (ec) return;
                if (size > 0)
                    self->asked.body = nlohmann::json::parse(self->buffer.substr(0, size));
                self->buffer.erase(0, size);
                self->answer();
            }
        );
    }
    void answer() {
        sending = bytes_of(of.take(asked));
        boost::asio::async_write(
            socket,
            boost::asio::buffer(sending),
            [self = shared_from_this()](error_code ec, std::size_t) {
                if (!ec) self->read_head();
            }
        );
    }

    tcp::socket socket;
    forge_impostor& of;
    std::string buffer;
    std::string sending;
    seen_request asked;
};

forge_impostor::forge_impostor(boost::asio::io_context& loop, std::string name)
    : name_(std::move(name)), acceptor_(loop, {boost::asio::ip::address_v4::loopback(), 0}) {
    accept();
}

forge_impostor::~forge_impostor() {
    for (const auto& each : sessions_) {
        if (const auto s = each.lock()) s->socket.close();
    }
}

void forge_impostor::accept() {
    acceptor_.async_accept([this](error_code ec, tcp::socket socket) {
        if (ec) return;
        const auto s = std::make_shared<session>(std::move(socket), *this);
        sessions_.push_back(s);
        s->read_head();
        accept();
    });
}

played_answer forge_impostor::take(const seen_request& asked) {
    requests_.push_back(asked);
    record(name_, asked);
    auto found = script_.find(asked.method + " " + asked.path());
    if (found == script_.end()) found = script_.find(asked.method + " *");
    if (found == script_.end()) {
        FAIL_CHECK("nobody expected " << asked.method << " " << asked.target);
        return plays(500);
    }
    auto answer = found->second.front();
    if (found->second.size() > 1) found->second.pop_front();
    return answer;
}

void forge_impostor::on(const std::string& what, std::vector<played_answer> answers) {
    script_[what] = {answers.begin(), answers.end()};
}

std::string forge_impostor::url() const {
    return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

std::vector<seen_request> forge_impostor::requests(const std::string& what) const {
    std::vector<seen_request> found;
    std::ranges::copy_if(requests_, std::back_inserter(found), [&](const seen_request& r) {
        return r.method + " " + r.path() == what;
    });
    return found;
}

seen_request forge_impostor::request(const std::string& what) const {
    const auto found = requests(what);
    INFO(what << " was asked for " << found.size() << " times");
    REQUIRE(found.size() == 1);
    return found.front();
}

} // namespace sluice::tests
