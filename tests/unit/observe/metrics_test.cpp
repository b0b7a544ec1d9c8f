#include "base/bytes.hpp"
#include "observe/metrics.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/observe/exposition_reader.hpp"

#include <cmath>
#include <limits>
#include <thread>

using namespace sluice;
using namespace sluice::observe;

TEST_CASE("a scrape shows counters, gauges and histograms in Prometheus' text format") {
    registry all;
    all.counter(
           "sluice_requests_total", "Requests by route.", {{"route", "event"}, {"code", "202"}}
    )
        .add(3);
    all.gauge("sluice_connections", "Open connections.").set(2.5);
    auto& h = all.histogram("sluice_commit_seconds", "Commit latency.", {0.1, 1});
    h.observe(0.1);
    h.observe(0.5);
    h.observe(7);
    CHECK(
        all.text() == "# HELP sluice_commit_seconds Commit latency.\n"
                      "# TYPE sluice_commit_seconds histogram\n"
                      "sluice_commit_seconds_bucket{le=\"0.1\"} 1\n"
                      "sluice_commit_seconds_bucket{le=\"1\"} 2\n"
                      "sluice_commit_seconds_bucket{le=\"+Inf\"} 3\n"
                      "sluice_commit_seconds_sum 7.6\n"
                      "sluice_commit_seconds_count 3\n"
                      "# HELP sluice_connections Open connections.\n"
                      "# TYPE sluice_connections gauge\n"
                      "sluice_connections 2.5\n"
                      "# HELP sluice_requests_total Requests by route.\n"
                      "# TYPE sluice_requests_total counter\n"
                      "sluice_requests_total{code=\"202\",route=\"event\"} 3\n"
    );
}

TEST_CASE("the same name and labels are the same series, in whatever order the labels are given") {
    registry all;
    auto& a = all.counter("sluice_x_total", "X.", {{"a", "1"}, {"b", "2"}});
    auto& b = all.counter("sluice_x_total", "X.", {{"b", "2"}, {"a", "1"}});
    CHECK(&a == &b);
    CHECK(&a != &all.counter("sluice_x_total", "X.", {{"a", "1"}, {"b", "3"}}));
}

TEST_CASE("label values with quotes, line breaks and backslashes come back as they were") {
    registry all;
    const std::string awkward = "a \"quoted\" \\ value\nover } two, lines=\"x\"";
    all.counter(
           "sluice_x_total", "Help with \\ and\nline break and \"quotes\".", {{"v", awkward}}
    ).add();
    const exposition_reader read{all.text()};
    CHECK(read.samples.at("sluice_x_total{v=" + awkward + "}") == 1);
    CHECK(read.help.at("sluice_x_total") == "Help with \\ and\nline break and \"quotes\".");
}

TEST_CASE("a label value that is no UTF-8 does not break the scrape") {
    registry all;
    all.counter(
           "sluice_x_total",
           "X.",
           {{"v",
             "a\xff"
             "b\xc3"}}
    )
        .add();
    CHECK(is_utf8(all.text()));
    CHECK(exposition_reader{all.text()}.samples.contains("sluice_x_total{v=a\xef\xbf\xbd"
                                                         "b\xef\xbf\xbd}"));
}

TEST_CASE("every series of a family follows its one HELP and TYPE") {
    registry all;
    for (const auto* route : {"event", "approval", "api"}) {
        all.counter("sluice_requests_total", "Requests.", {{"route", route}}).add();
        all.histogram(
               "sluice_seconds", "Latency.", latency_bounds(), {{"route", route}}
        ).observe(0.003);
    }
    const exposition_reader read{all.text()};
    CHECK(
        read.types ==
        std::map<std::string, std::string>{
            {"sluice_requests_total", "counter"}, {"sluice_seconds", "histogram"}
        }
    );
    CHECK(read.samples.at("sluice_seconds_bucket{route=api,le=0.0025}") == 0);
    CHECK(read.samples.at("sluice_seconds_bucket{route=api,le=0.005}") == 1);
    CHECK(read.samples.at("sluice_seconds_count{route=api}") == 1);
}

TEST_CASE("a histogram counts a value on a bound as within it and ignores what is no number") {
    histogram h{{1, 2}};
    h.observe(1);
    h.observe(2);
    h.observe(2.0000001);
    h.observe(-5);
    h.observe(std::numeric_limits<double>::quiet_NaN());
    const auto read = h.read();
    CHECK(read.cumulative == std::vector<std::uint64_t>{2, 3, 4});
    CHECK_FALSE(std::isnan(read.sum));
}

TEST_CASE("a gauge may be read at scrape time, and its reader may use the registry") {
    registry all;
    double depth = 1;
    all.gauge_of("sluice_queue_depth", "Queue depth.", {}, [&] {
        all.counter("sluice_scrapes_total", "Scrapes.").add();
        return depth;
    });
    CHECK(exposition_reader{all.text()}.samples.at("sluice_queue_depth") == 1);
    depth = std::numeric_limits<double>::infinity();
    CHECK(all.text().find("sluice_queue_depth +Inf\n") != std::string::npos);
    depth = -depth;
    CHECK(all.text().find("sluice_queue_depth -Inf\n") != std::string::npos);
    depth = std::numeric_limits<double>::quiet_NaN();
    CHECK(all.text().find("sluice_queue_depth NaN\n") != std::string::npos);
}

TEST_CASE("a wrong name, a second type or a second reader is told to whoever wrote it") {
    registry all;
    CHECK_THROWS_AS(all.counter("1x", "X."), std::logic_error);
    CHECK_THROWS_AS(all.counter("", "X."), std::logic_error);
    CHECK_THROWS_AS(all.counter("x y", "X."), std::logic_error);
    CHECK_THROWS_AS(all.counter("x", "X.", {{"a-b", ""}}), std::logic_error);
    CHECK_THROWS_AS(all.counter("x", "X.", {{"__a", ""}}), std::logic_error);
    CHECK_THROWS_AS(all.counter("x", "X.", {{"a", "1"}, {"a", "2"}}), std::logic_error);
    CHECK_THROWS_AS(all.histogram("x", "X.", {1}, {{"le", "1"}}), std::logic_error);
    CHECK_THROWS_AS(all.histogram("x", "X.", {2, 1}), std::logic_error);
    all.counter("sluice_x", "X.").add();
    CHECK_THROWS_AS(all.gauge("sluice_x", "X.", {{"a", "1"}}), std::logic_error);
    CHECK_THROWS_AS(all.gauge("sluice_x", "X."), std::logic_error);
    all.gauge_of("sluice_y", "Y.", {}, [] { return 1.0; });
    CHECK_THROWS_AS(all.gauge_of("sluice_y", "Y.", {}, [] { return 2.0; }), std::logic_error);
    CHECK(
        exposition_reader{all.text()}.samples ==
        std::map<std::string, double>{{"sluice_x", 1}, {"sluice_y", 1}}
    );
}

TEST_CASE("threads may count, register and scrape at once, and nothing is lost") {
    registry all;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 3; ++t) {
            threads.emplace_back([&all, t] {
                for (int i = 0; i < 2000; ++i) {
                    all.counter("sluice_x_total", "X.", {{"n", std::to_string(i % 10)}}).add();
                    all.histogram("sluice_h", "H.", {1}).observe(1);
                    all.gauge("sluice_g", "G.").add(t == 0 ? 1 : -0.5);
                }
            });
        }
        for (int i = 0; i < 50; ++i) CHECK_NOTHROW(exposition_reader{all.text()});
    }
    const exposition_reader read{all.text()};
    CHECK(read.samples.at("sluice_x_total{n=3}") == 600);
    CHECK(read.samples.at("sluice_h_sum") == 6000);
    CHECK(read.samples.at("sluice_g") == 0);
}
