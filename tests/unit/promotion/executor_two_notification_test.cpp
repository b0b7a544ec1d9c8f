#include "tests/unit/promotion/executor_fixture.hpp"
#include "tests/unit/promotion/failpoint_gate.hpp"
#include "tests/unit/promotion/forge_impostor.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <future>
#include <thread>

#ifdef SLUICE_WITH_FAILPOINTS

using namespace sluice;
using namespace sluice::tests;

namespace {

const std::string first = "default/podinfo/staging@1.1.0";

// notification-controller on a thread of its own: the executors are asked to stand still.
class controller {
public:
    controller() {
        impostor_.on("POST /", {plays(202)});
        thread_ = std::thread{[this] { loop_.run(); }};
    }
    ~controller() {
        loop_.stop();
        thread_.join();
    }
    controller(const controller&) = delete;
    controller& operator=(const controller&) = delete;

    [[nodiscard]] std::string url() const { return impostor_.url() + "/"; }
    [[nodiscard]] std::vector<seen_request> requests() {
        std::promise<std::vector<seen_request>> seen;
        boost::asio::post(loop_, [&] { seen.set_value(impostor_.requests()); });
        return seen.get_future().get();
    }

private:
    boost::asio::io_context loop_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> keep_{
        loop_.get_executor()
    };
    forge_impostor impostor_{loop_, "notification-controller"};
    std::thread thread_;
};

} // namespace

TEST_CASE("a replica that hangs while it announces a promotion holds nobody up, and nobody is told "
          "of another") {
    const auto is_idle = [](const promotion::executor& e) {
        return e.health().message.ends_with(" 0 repositories at work");
    };
    for (const auto* at : {"executor.before_notify", "executor.after_notify"}) {
        CAPTURE(at);
        controller told;
        executor_world w;
        w.options.events_address = told.url();
        pipeline::strategy s;
        s.how = pipeline::notification_strategy{};
        w.pipelines.set(three_environments("podinfo", s));
        std::unique_ptr<promotion::executor> one;
        std::unique_ptr<promotion::executor> two;
        failpoint_gate gate{at}; // after them: they end only when it is open
        w.prove("1.1.0");
        one = w.start_another("one");
        REQUIRE(gate.somebody_stands_there());
        two = w.start_another("two");
        w.reach(first, promotion_state::notified);
        gate.release();
        REQUIRE(eventually([&] { return is_idle(*one) && is_idle(*two); }));

        CHECK(to_string(w.shown(first).state) == "Notified");
        for (const auto& entry : w.history(first)) CHECK(entry.state != "Failed");
        // Announced at least once; the receiver knows the second one by its id.
        const auto sent = told.requests();
        CHECK(sent.size() == 2);
        for (const auto& r : sent) {
            CHECK(r.body.at("metadata").at("pipelines.weave.works/id") == first);
        }
    }
}

#endif
