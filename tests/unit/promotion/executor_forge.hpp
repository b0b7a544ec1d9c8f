#pragma once

#include "base/failpoint.hpp"
#include "tests/unit/promotion/executor_fixture.hpp"

#include <map>
#include <mutex>

namespace sluice::tests {

namespace forge = promotion::forge;
using pipeline::pull_request_state;

// A forge that keeps its pull requests in memory and its branches in a real repository, with the faults forges have. The
// head of a merged one stays what was merged, as forge::view promises.
class small_forge {
public:
    struct entry {
        forge::view seen;
        std::string head; // branch
        std::string base;
        std::vector<std::string> comments;
        std::vector<std::string> labels;
        std::vector<std::string> reviewers;
    };

    explicit small_forge(const git_origin& origin) : origin_(origin) {}

    [[nodiscard]] promotion::forge_maker maker();

    [[nodiscard]] std::vector<entry> all() const {
        const std::lock_guard lock{mutex_};
        return all_;
    }
    [[nodiscard]] entry only() const {
        const auto now = all();
        if (now.size() != 1) throw std::runtime_error("there are " + std::to_string(now.size()));
        return now.front();
    }
    void close(std::int64_t number) { set(number, pull_request_state::closed); }
    void reopen(std::int64_t number) { set(number, pull_request_state::open); }
    // As the button does it.
    void merge(std::int64_t number) {
        const std::lock_guard lock{mutex_};
        merge_now(at(number));
    }
    // Somebody else's, from a branch that need not be there.
    void add(const std::string& head, pull_request_state state) {
        const std::lock_guard lock{mutex_};
        entry e;
        e.head = head;
        e.base = "main";
        e.seen.is.number = static_cast<std::int64_t>(all_.size()) + 1;
        e.seen.is.url = "https://stranger.example.com/" + head;
        e.seen.is.state = state;
        all_.push_back(std::move(e));
    }
    // How often a call of that name came, whatever became of it.
    [[nodiscard]] int times(const std::string& call) const {
        const std::lock_guard lock{mutex_};
        const auto found = times_.find(call);
        return found == times_.end() ? 0 : found->second;
    }
    // The next calls of that name fail so, after they have done their work or before.
    void fail(const std::string& call, error e, bool after, int times = 1) {
        const std::lock_guard lock{mutex_};
        faults_[call] = {std::move(e), after, times};
    }
    // Run once inside the next call of that name, before it does its work.
    void meanwhile(const std::string& call, std::function<void()> what) {
        const std::lock_guard lock{mutex_};
        meanwhile_[call] = std::move(what);
    }
    std::atomic<bool> checks_are_green{false};

private:
    friend class small_forge_api;
    struct fault {
        error e;
        bool after = false;
        int times = 0;
    };

    entry& at(std::int64_t number) { return all_.at(static_cast<std::size_t>(number - 1)); }
    void set(std::int64_t number, pull_request_state state) {
        const std::lock_guard lock{mutex_};
        at(number).seen.is.state = state;
    }
    void merge_now(entry& e) {
        refresh(e);
        origin_.git("fetch -q origin");
        origin_.git("checkout -q -B main origin/main");
        origin_.git("merge -q --no-ff -m merged " + e.seen.is.head);
        origin_.git("push -q origin main");
        e.seen.is.state = pull_request_state::merged;
    }
    void refresh(entry& e) const {
        if (e.seen.is.state == pull_request_state::open) e.seen.is.head = origin_.tip(e.head);
    }
    std::optional<error> fault_of(const std::string& call, bool after) {
        const auto found = faults_.find(call);
        if (found == faults_.end() || found->second.after != after || found->second.times == 0) {
            return std::nullopt;
        }
        --found->second.times;
        return found->second.e;
    }

    const git_origin& origin_;
    mutable std::mutex mutex_;
    std::vector<entry> all_;
    std::map<std::string, fault> faults_;
    std::map<std::string, int> times_;
    std::map<std::string, std::function<void()>> meanwhile_;
};

class small_forge_api final : public forge::api {
public:
    explicit small_forge_api(small_forge& f) : f_(f) {}

    boost::asio::awaitable<result<std::optional<forge::view>>>
    find_open(std::string head, std::string base) override {
        using found = std::optional<forge::view>;
        co_return call<found>("find_open", [&]() -> result<found> {
            for (auto& e : f_.all_) {
                f_.refresh(e);
                const bool open = e.seen.is.state == pull_request_state::open;
                if (open && e.head == head && e.base == base) return found{e.seen};
            }
            return found{};
        });
    }
    boost::asio::awaitable<result<forge::view>> get(std::int64_t number) override {
        co_return call<forge::view>("get", [&]() -> result<forge::view> {
            f_.refresh(f_.at(number));
            return f_.at(number).seen;
        });
    }
    boost::asio::awaitable<result<forge::view>> create(forge::draft d) override {
        co_return call<forge::view>("create", [&]() -> result<forge::view> {
            small_forge::entry e;
            e.head = d.head;
            e.base = d.base;
            e.seen.title = d.title;
            e.seen.body = d.body;
            e.seen.is.number = static_cast<std::int64_t>(f_.all_.size()) + 1;
            e.seen.is.url = "https://forge.example.com/pulls/" + std::to_string(e.seen.is.number);
            f_.refresh(e);
            for (const auto& other : f_.all_) {
                const bool open = other.seen.is.state == pull_request_state::open;
                if (open && other.head == d.head && other.base == d.base) return other.seen;
            }
            f_.all_.push_back(e);
            return e.seen;
        });
    }
    boost::asio::awaitable<result<forge::view>>
    update(forge::view v, std::string title, std::string body) override {
        co_return call<forge::view>("update", [&]() -> result<forge::view> {
            auto& e = f_.at(v.is.number);
            e.seen.title = title;
            e.seen.body = body;
            f_.refresh(e);
            return e.seen;
        });
    }
    boost::asio::awaitable<outcome> close(forge::view v, std::string comment) override {
        const auto done = call<bool>("close", [&]() -> result<bool> {
            auto& e = f_.at(v.is.number);
            f_.refresh(e);
            e.comments.push_back(comment);
            e.seen.is.state = pull_request_state::closed;
            return true;
        });
        if (!done) co_return done.error();
        co_return outcome{};
    }
    boost::asio::awaitable<result<std::vector<std::string>>> decorate(
        forge::view v, std::vector<std::string> labels, std::vector<std::string> reviewers
    ) override {
        using ignored = std::vector<std::string>;
        co_return call<ignored>("decorate", [&]() -> result<ignored> {
            auto& e = f_.at(v.is.number);
            e.labels.insert(e.labels.end(), labels.begin(), labels.end());
            e.reviewers.insert(e.reviewers.end(), reviewers.begin(), reviewers.end());
            return ignored{};
        });
    }
    boost::asio::awaitable<result<forge::auto_merge>>
    merge_when_ready(forge::view v, pipeline::merge_method /*how*/) override {
        co_return call<forge::auto_merge>("merge", [&]() -> result<forge::auto_merge> {
            auto& e = f_.at(v.is.number);
            f_.refresh(e);
            if (e.seen.is.head != v.is.head) return error(errc::conflict, "the head moved");
            if (!f_.checks_are_green) return forge::auto_merge::not_yet;
            f_.merge_now(e);
            return forge::auto_merge::merged;
        });
    }
    boost::asio::awaitable<outcome> disarm(forge::view v) override {
        const auto done = call<bool>("disarm", [&]() -> result<bool> {
            f_.at(v.is.number).seen.armed = false;
            return true;
        });
        if (!done) co_return done.error();
        co_return outcome{};
    }

private:
    // With the failpoints of promotion/forge/forge.cpp around each call.
    template <class T, class Work>
    result<T> call(const std::string& name, Work work) {
        failpoint("forge.before_" + name);
        auto done = call_now<T>(name, std::move(work));
        failpoint("forge.after_" + name);
        return done;
    }
    template <class T, class Work>
    result<T> call_now(const std::string& name, Work work) {
        std::function<void()> first;
        {
            const std::lock_guard lock{f_.mutex_};
            ++f_.times_[name];
            if (auto wrong = f_.fault_of(name, false)) return *wrong;
            first = std::exchange(f_.meanwhile_[name], nullptr);
        }
        if (first) first();
        const std::lock_guard lock{f_.mutex_};
        auto done = work();
        if (auto wrong = f_.fault_of(name, true)) return *wrong;
        return done;
    }

    small_forge& f_;
};

inline promotion::forge_maker small_forge::maker() {
    return [this](const auto& /*connection*/, const auto& /*strategy*/, auto /*login*/) {
        return result<std::unique_ptr<forge::api>>{std::make_unique<small_forge_api>(*this)};
    };
}

// The world with a forge in it.
struct forge_world : executor_world {
    small_forge forge{origin};
    pipeline::pull_request_strategy how;

    forge_world() {
        options.make_forge = forge.maker();
        how.type = pipeline::forge::gitea;
        how.secret = "login";
        secrets.set("login", {{"username", "sluice"}, {"password", "p"}, {"token", "t"}});
    }
    ~forge_world() { executor.reset(); } // it asks the forge until it ends
    void begin() {
        set_up(how);
        start();
    }
};

} // namespace sluice::tests
