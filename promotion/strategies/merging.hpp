#pragma once

#include "promotion/strategies/desk.hpp"

#include <memory>
#include <string>
#include <vector>

// What a merge means for the promotions of an environment, and how one is asked for.
namespace sluice::promotion {

// Which promotion a merged pull request carried: the one whose commit was its head, else `asked`, which it belongs
// to. People add commits, and forges rewrite them.
[[nodiscard]] const pipeline::promotion& carried_by(
    const std::string& head,
    const pipeline::promotion& asked,
    const std::vector<pipeline::promotion>& others
);

// Records a merge seen on the forge for the promotion that it carried.
[[nodiscard]] boost::asio::awaitable<void> settle_merge(
    const workshop& w,
    pipeline::promotion asked,
    std::vector<pipeline::promotion> others,
    forge::view seen
);

// The pull request of `t` is merged: its branch is removed, and the merge recorded.
[[nodiscard]] boost::asio::awaitable<void>
was_merged(const workshop& w, desk& d, task t, forge::view seen);

// Where autoMerge is on, asks for the merge of what `seen` shows; not while its proof is withdrawn. `t` as the ledger has
// it now. What refuses for good is told once.
[[nodiscard]] boost::asio::awaitable<void> merge_if_ready(
    const workshop& w, desk& d, task t, std::shared_ptr<forge::api> forge, forge::view seen
);

// The message of an open pull request, with why it is not merged by itself; `refusal` empty: without.
[[nodiscard]] std::string with_refusal(std::string message, std::string_view refusal);

// Flux was faster than the look at the pull request.
[[nodiscard]] bool has_arrived(pipeline::promotion_state state) noexcept;

// The newest promotions into the environment of `t`, itself among them.
[[nodiscard]] boost::asio::awaitable<result<std::vector<pipeline::promotion>>>
others_into(const workshop& w, task t);

// Told in the log, and looked at again later.
void cannot_see(const workshop& w, const task& t, const error& e);

} // namespace sluice::promotion
