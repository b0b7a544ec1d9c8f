#pragma once

#include "tests/home/ledger_events.hpp"
#include "tests/home/ledger_fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <future>
#include <thread>

namespace sluice::tests {

// A decision that blocks is how these tests hold the writer.
struct gate {
    std::promise<void> entered;
    std::promise<void> open;

    home::decide_fn holding(home::decide_fn then) {
        return [this,
                then = std::move(then),
                may_go = open.get_future().share()](const pipeline::pipeline_records& records) {
            entered.set_value();
            may_go.wait();
            return then(records);
        };
    }
};

struct held_request {
    held_request(
        boost::asio::io_context& outlives_all, home::ledger& ledger, const home::submission& s
    )
        : loop(outlives_all) {
        boost::asio::co_spawn(
            loop,
            ledger.accept(s, gate_.holding(park(s))),
            [this](auto, auto answer) { done.set_value(std::move(answer)); }
        );
        thread = std::thread{[this] { loop.run_for(patience); }};
        gate_.entered.get_future().wait();
    }
    ~held_request() { thread.join(); }
    void let_go() { gate_.open.set_value(); }

    gate gate_;
    boost::asio::io_context& loop;
    std::promise<result<home::acceptance>> done;
    std::thread thread;
};

} // namespace sluice::tests
