#include "promotion/failpoints.hpp"
#include "tests/unit/promotion/executor_forge.hpp"
#include "tests/unit/promotion/forge_impostor.hpp"

#include <future>
#include <thread>

using namespace sluice;
using namespace sluice::tests;
using namespace std::chrono_literals;

namespace {

const std::string first = "default/podinfo/staging@1.1.0";

// notification-controller as the executor sees it.
struct told_world : executor_world {
    boost::asio::io_context loop{1};
    forge_impostor controller{loop, "notification-controller"};
    std::thread thread;

    ~told_world() {
        executor.reset();
        loop.stop();
        if (thread.joinable()) thread.join();
    }
    void begin(std::vector<played_answer> answers) {
        controller.on("POST /", std::move(answers));
        options.events_address = controller.url() + "/";
        pipeline::strategy s;
        s.how = pipeline::notification_strategy{};
        pipelines.set(three_environments("podinfo", s));
        thread = std::thread{[this] {
            auto keep = boost::asio::make_work_guard(loop);
            loop.run();
        }};
        start();
    }
    [[nodiscard]] std::vector<seen_request> requests() {
        std::promise<std::vector<seen_request>> seen;
        boost::asio::post(loop, [&] { seen.set_value(controller.requests()); });
        return seen.get_future().get();
    }
};

} // namespace

TEST_CASE("the strategy notification sends the Promote event that Weave's receivers parse") {
    told_world w;
    w.begin({plays(202)});
    w.prove("1.1.0");
    w.reach(first, promotion_state::notified);
    const auto sent = w.requests();
    REQUIRE(sent.size() == 1);
    const auto& event = sent[0].body;
    CHECK(event.at("reason") == "Promote");
    CHECK(event.at("severity") == "info");
    CHECK(event.at("message") == "Promote pipeline default/podinfo to staging with version 1.1.0");
    CHECK(event.at("involvedObject").at("kind") == "Pipeline");
    CHECK(event.at("involvedObject").at("apiVersion") == "pipelines.weave.works/v1alpha1");
    CHECK(event.at("reportingController") == "pipeline-controller");
    const auto& metadata = event.at("metadata");
    CHECK(metadata.at("pipelines.weave.works/environment") == "staging");
    CHECK(metadata.at("pipelines.weave.works/version") == "1.1.0");
    CHECK(metadata.at("pipelines.weave.works/id") == first);
    CHECK(metadata.at("version") == "1.1.0");
}

TEST_CASE("a notification is sent again until it is taken, and a duplicate counts as taken") {
    told_world w;
    w.begin({plays(503), plays(503), plays(429)});
    w.prove("1.1.0");
    w.reach(first, promotion_state::notified);
    CHECK(w.requests().size() == 3);
}

TEST_CASE("without an address the strategy notification says which setting is missing") {
    executor_world w;
    pipeline::strategy s;
    s.how = pipeline::notification_strategy{};
    w.pipelines.set(three_environments("podinfo", s));
    w.start();
    w.prove("1.1.0");
    const auto p = w.reach(first, promotion_state::failed);
    CHECK(p.message.find("events-address") != std::string::npos);
}

TEST_CASE("a server that cannot be reached is tried again, and a mended Pipeline is used at once") {
    executor_world w;
    w.set_up();
    auto d = *w.pipelines.find("default", "podinfo");
    auto& how = std::get<pipeline::pull_request_strategy>(d.promotion->strategy.how);
    const auto right = std::exchange(how.url, "http://127.0.0.1:1/org/fleet.git");
    w.pipelines.set(d);
    w.start();
    w.prove("1.1.0");
    CHECK(eventually([&] { return w.shown(first).work.failures > 2; }));
    const auto waiting = w.shown(first);
    CHECK(waiting.state == promotion_state::running);
    CHECK(waiting.retry_at.has_value());
    how.url = right;
    w.pipelines.set(d);
    const auto p = w.reach(first, promotion_state::pull_request_open);
    CHECK(p.work.failures == 0);
}

TEST_CASE("a lane that hangs makes the executor wedged, and only as long as it hangs") {
    forge_world w;
    std::promise<void> release;
    w.options.wedged_after = 300ms;
    w.forge.meanwhile("find_open", [&] { release.get_future().wait(); });
    w.begin();
    CHECK_FALSE(w.executor->wedged());
    w.prove("1.1.0");
    CHECK(eventually([&] { return w.executor->wedged(); }));
    CHECK_FALSE(w.executor->health().ok);
    release.set_value();
    w.reach(first, promotion_state::pull_request_open);
    CHECK(eventually([&] { return !w.executor->wedged(); }));
}
