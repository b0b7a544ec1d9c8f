#pragma once

#include "tests/home/ledger_work_conformance.hpp"

#include <condition_variable>
#include <mutex>

// How every ledger tells what there is to do.
namespace sluice::tests {

inline void conforms_in_what_is_alive(const make_ledger& make) {
    using enum pipeline::promotion_state;
    const auto home = make();
    auto& clock = home->clock;
    const auto open = [&](const std::string& revision, pipeline::promotion_state state) {
        auto p = promotion_into_prod(healthy(revision, 1, clock.now()));
        p.state = state;
        REQUIRE(get(home->ledger().change(podinfo, "executor", write({pipeline::open_promotion{p}}))
        ).has_value());
        return p.id;
    };
    const auto alive = [&] {
        std::vector<std::string> revisions;
        const auto found = get(home->ledger().live());
        for (const auto& p : found.value()) revisions.push_back(p.id.revision);
        return revisions;
    };
    using all = std::vector<std::string>;

    SECTION("what has not ended and what failed is alive, oldest first") {
        const pipeline::promotion_state states[] = {
            pending,
            awaiting_approval,
            held,
            running,
            pull_request_open,
            pipeline::promotion_state::merged,
            deployed,
            notified,
            superseded,
            rejected,
            expired,
            cancelled,
            denied,
            closed,
            no_change,
            failed,
            deploy_failed,
        };
        for (const auto state : states) open(std::string{to_string(state)}, state);
        for (int round = 0; round < 2; ++round, home->restart()) {
            CHECK(
                alive() == all{"Pending",
                               "AwaitingApproval",
                               "Held",
                               "Running",
                               "PullRequestOpen",
                               "Merged",
                               "Failed"}
            );
        }
    }
    SECTION("a promotion leaves and comes back as its state does") {
        const auto id = open("1.0.0", pending);
        const auto other = open("1.1.0", pending);
        const auto move = [&](const pipeline::promotion_id& which, pipeline::promotion_state to) {
            REQUIRE(get(home->ledger().change(podinfo, "executor", move_to(which, to))).has_value()
            );
        };
        move(id, superseded);
        CHECK(alive() == all{"1.1.0"});
        move(other, failed);
        CHECK(alive() == all{"1.1.0"});
        move(other, pending);
        move(id, pipeline::promotion_state::merged);
        CHECK(alive() == all{"1.0.0", "1.1.0"});
        move(id, deployed);
        move(other, rejected);
        CHECK(alive().empty());
    }
    SECTION("one that failed, was forgotten and is opened again is alive once, as the newest") {
        const auto first = open("1.0.0", failed);
        open("1.1.0", pending);
        CHECK(alive() == all{"1.0.0", "1.1.0"});
        const auto forget = write({pipeline::forget_attempt{first}});
        REQUIRE(get(home->ledger().change(podinfo, "executor", forget)).has_value());
        open("1.0.0", pending);
        CHECK(alive() == all{"1.1.0", "1.0.0"});
    }
    SECTION("a cancelled one is alive until its pull request is closed") {
        const auto first = open("1.0.0", cancelled);
        open("1.1.0", pending);
        const auto put = [&](const pipeline::promotion_work& w) {
            REQUIRE(get(home->ledger().change(
                            podinfo, "executor", write({pipeline::set_work{first, w}})
                        )
            ).has_value());
        };
        auto work = some_work();
        put(work);
        CHECK(alive() == all{"1.0.0", "1.1.0"});
        work.pull_request->state = pipeline::pull_request_state::closed;
        put(work);
        CHECK(alive() == all{"1.1.0"});
    }
}

// Counts calls from the ledger's thread.
class told_changes {
public:
    [[nodiscard]] std::function<void()> listener() {
        return [this] {
            const std::lock_guard lock{mutex_};
            ++count_;
            told_.notify_all();
        };
    }
    [[nodiscard]] int count() const {
        const std::lock_guard lock{mutex_};
        return count_;
    }
    [[nodiscard]] bool reaches(int wanted) {
        std::unique_lock lock{mutex_};
        return told_.wait_for(lock, patience, [&] { return count_ >= wanted; });
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable told_;
    int count_ = 0;
};

inline void conforms_in_telling_changes(const make_ledger& make) {
    told_changes told; // outlives the ledger
    const auto home = make();
    home->ledger().on_change(told.listener());
    const auto s = healthy("1.0.0", 1, home->clock.now());
    const auto id = promotion_into_prod(s).id;
    REQUIRE(get(home->ledger().accept(s, park(s))).has_value());
    const auto approve = move_to(id, pipeline::promotion_state::pending);
    REQUIRE(get(home->ledger().change(podinfo, "user:ada", approve)).has_value());
    REQUIRE(told.reaches(1));
    // What only waits for a person was no news: neither when it came nor when a newer one replaces it.
    REQUIRE(told.count() == 1);

    SECTION("one that waits is replaced by one that waits, and nobody is told") {
        for (const std::uint64_t n : {2U, 3U}) {
            const auto newer = healthy("1.0." + std::to_string(n), n, home->clock.now());
            REQUIRE(get(home->ledger().accept(newer, park(newer))).has_value());
        }
        CHECK(told.reaches(2)); // the first of them replaced the one at work
        const auto running =
            move_to({podinfo, "prod", "1.0.3"}, pipeline::promotion_state::pending);
        REQUIRE(get(home->ledger().change(podinfo, "user:ada", running)).has_value());
        REQUIRE(told.reaches(3));
        CHECK(told.count() == 3);
        const auto alive = get(home->ledger().live());
        REQUIRE(alive.has_value());
        REQUIRE(alive->size() == 1);
        CHECK(alive->front().id.revision == "1.0.3");
    }
    SECTION("one that came and failed between two looks is still alive, one that ended is not") {
        REQUIRE(get(home->ledger().live()).has_value());
        for (const auto end :
             {pipeline::promotion_state::failed, pipeline::promotion_state::no_change}) {
            auto p = promotion_into_prod(
                healthy("2.0." + std::to_string(static_cast<int>(end)), 1, home->clock.now())
            );
            const auto opening = write({pipeline::open_promotion{p}});
            REQUIRE(get(home->ledger().change(podinfo, "x", opening)).has_value());
            REQUIRE(get(home->ledger().change(podinfo, "x", move_to(p.id, end))).has_value());
        }
        const auto alive = get(home->ledger().live());
        REQUIRE(alive.has_value());
        REQUIRE(alive->size() == 2);
        CHECK(alive->back().state == pipeline::promotion_state::failed);
    }
    SECTION("a promotion that was moved is told after it can be read") {
        const auto running = move_to(id, pipeline::promotion_state::running);
        REQUIRE(get(home->ledger().change(podinfo, "executor", running)).has_value());
        CHECK(told.reaches(2));
    }
    SECTION("what moves no promotion is not told") {
        const auto current = write({pipeline::set_current{"prod", s.event->facts}});
        const auto work = write({pipeline::set_work{id, some_work()}});
        const auto broken = write({pipeline::transition{
            {podinfo, "prod", "9.9.9"}, pipeline::promotion_state::running, "", "", {}
        }});
        REQUIRE(get(home->ledger().change(podinfo, "executor", current)).has_value());
        REQUIRE(get(home->ledger().change(podinfo, "executor", work)).has_value());
        REQUIRE(get(home->ledger().change(podinfo, "executor", broken)).has_error());
        // One that does, so that the ones before it were surely passed.
        const auto running = move_to(id, pipeline::promotion_state::running);
        REQUIRE(get(home->ledger().change(podinfo, "executor", running)).has_value());
        REQUIRE(told.reaches(2));
        CHECK(told.count() == 2);
    }
    SECTION("a change that is refused reaches its caller as it is and leaves nothing") {
        const auto before = get(home->ledger().records(podinfo));
        const auto refuse = [](const pipeline::pipeline_records&) -> result<pipeline::decision> {
            return error{errc::conflict, "a newer one took its place"};
        };
        const auto answer = get(home->ledger().change(podinfo, "user:ada", refuse));
        REQUIRE(answer.has_error());
        CHECK(answer.error().code == errc::conflict);
        CHECK(answer.error().detail == "a newer one took its place");
        CHECK(*get(home->ledger().records(podinfo)) == *before);
        CHECK(get(home->ledger().show(id.text()))->history.size() == 2);
    }
    SECTION("a refused change does not disturb the others of its batch") {
        const auto refuse = [](const pipeline::pipeline_records&) -> result<pipeline::decision> {
            return error{errc::conflict, "no"};
        };
        std::vector<boost::asio::awaitable<result<pipeline::decision>>> all;
        for (int i = 0; i < 16; ++i) {
            if (i % 2 == 0) {
                all.push_back(home->ledger().change(podinfo, "user:ada", refuse));
            } else {
                auto p =
                    promotion_into_prod(healthy("2.0." + std::to_string(i), 1, home->clock.now()));
                all.push_back(
                    home->ledger().change(podinfo, "x", write({pipeline::open_promotion{p}}))
                );
            }
        }
        const auto answers = get_all(std::move(all));
        for (std::size_t i = 0; i < answers.size(); ++i)
            CHECK(answers[i].has_value() == (i % 2 == 1));
        CHECK(get(home->ledger().live())->size() == 9);
    }
}

} // namespace sluice::tests
