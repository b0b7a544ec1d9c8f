#include "promotion/forge/gitea_labels.hpp"

namespace sluice::promotion::forge {
namespace {

// A user has no organisation's labels: 404.
boost::asio::awaitable<outcome>
add_labels(json_call& call, std::string list, bool may_be_missing, label_ids& into) {
    std::int64_t seen = 0;
    for (int number = 1;; ++number) {
        auto page = co_await call.get(list + "?limit=50&page=" + std::to_string(number));
        if (!page) co_return page.error();
        if (page->status == 404 && may_be_missing) co_return outcome{};
        if (!page->ok()) co_return call.refused(*page, "read the labels");
        for (const auto& label : page->body)
            into.emplace(text_of(label, "name"), number_of(label, "id"));
        seen += static_cast<std::int64_t>(page->body.size());
        const bool last = page->body.empty() || (page->total >= 0 && seen >= page->total);
        if (last) co_return outcome{};
    }
}

} // namespace

boost::asio::awaitable<result<label_ids>> gitea_label_ids(json_call& call, std::string repository) {
    label_ids ids;
    auto own = co_await add_labels(call, repository + "/labels", false, ids);
    if (!own) co_return own.error();
    const auto organisation = "/orgs/" + net::encode_component(call.place().owner) + "/labels";
    auto shared = co_await add_labels(call, organisation, true, ids);
    if (!shared) co_return shared.error();
    co_return ids;
}

} // namespace sluice::promotion::forge
