#pragma once

#include "base/result.hpp"
#include "promotion/git/repository.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace sluice::promotion::git {

enum class service { upload_pack, receive_pack };
[[nodiscard]] std::string_view to_string(service s) noexcept; // "git-upload-pack"

// The answer to one request, read piece by piece; empty at the end.
class http_reply {
public:
    virtual ~http_reply() = default;
    [[nodiscard]] virtual result<std::string> read() = 0;
};

// Git's requests to one repository, over the client on the loop. Every error names the repository and never the login;
// one is permanent when only a person can help.
class http_session {
public:
    http_session(const environment& env, const remote& r, net::url repository);

    // From here on everything together may take as long as one transfer may.
    void begin();

    // What the repository has, as it tells it. A redirect on the same host is followed, and remembered for what comes.
    [[nodiscard]] result<std::string> advertise();
    [[nodiscard]] result<std::string> post(service s, std::string body);
    // The head of the answer has been read and is right.
    [[nodiscard]] result<std::unique_ptr<http_reply>> open(service s, std::string body);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] bool out_of_time() const;

private:
    [[nodiscard]] result<net::http_answer> send(net::http_call call);
    [[nodiscard]] net::http_call call(std::string_view method, net::url to) const;
    [[nodiscard]] net::http_call post_call(service s, std::string body) const;
    [[nodiscard]] outcome follow(const net::http_answer& redirect);
    [[nodiscard]] outcome
    check(const net::http_answer& answer, service s, std::string_view content_type) const;
    [[nodiscard]] error named(error e) const;

    environment env_;
    login login_;
    net::url repository_; // where it is now
    std::string name_;    // as the Pipeline has it
    std::chrono::steady_clock::time_point until_;
};

} // namespace sluice::promotion::git
