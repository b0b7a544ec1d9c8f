#pragma once

#include "promotion/git/http_session.hpp"
#include "promotion/git/wire.hpp"

namespace sluice::promotion::git {

// A repository behind https:// or http://. A fetch is two requests, one when nothing is new; a push is one.
class http_wire final : public wire {
public:
    [[nodiscard]] static result<std::unique_ptr<wire>>
    open(const environment& env, const remote& r);

    void begin() override { session_.begin(); }
    result<branch_tips> list() override;
    result<branch_tips> fetch(cache& into, const std::vector<std::string>& wanted) override;
    result<std::vector<ref_status>> push(
        cache& from, const std::vector<ref_update>& updates, const std::vector<git_oid>& objects
    ) override;
    [[nodiscard]] std::filesystem::path objects() const override { return {}; }

private:
    explicit http_wire(http_session s) : session_(std::move(s)) {}
    [[nodiscard]] result<branch_tips> read(std::string_view advertisement) const;
    [[nodiscard]] outcome download(
        git_repository* into, std::string advertisement, const std::vector<std::string>& wanted
    );

    http_session session_;
};

} // namespace sluice::promotion::git
