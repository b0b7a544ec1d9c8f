#include "promotion/strategies/forges.hpp"

namespace sluice::promotion {

result<std::shared_ptr<forge::api>> forges::of(const task& t, const credentials& login) {
    const auto* strategy = t.pull_request();
    if (strategy == nullptr || strategy->type == pipeline::forge::git) {
        return std::shared_ptr<forge::api>{};
    }
    auto& known = known_[{t.pipeline->name, t.into->name}];
    const bool same = known.api && known.pipeline == t.pipeline && known.token == login.token &&
                      known.username == login.username && known.password == login.password &&
                      known.tls == login.tls;
    if (same) return known.api;
    auto made = make_(connection_, *strategy, login);
    if (!made) return made.error();
    known.pipeline = t.pipeline;
    known.token = login.token;
    known.username = login.username;
    known.password = login.password;
    known.tls = login.tls;
    known.api = std::move(*made);
    return known.api;
}

} // namespace sluice::promotion
