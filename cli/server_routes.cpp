#include "cli/server_process.hpp"
#include "config/room_options.hpp"

// Which handler answers where.
namespace sluice::cli {
namespace {

template <class Object>
server::handler bind(
    Object& object,
    boost::asio::awaitable<http::response> (Object::*answer)(http::request&, const server::params&)
) {
    return [&object, answer](http::request& r, const server::params& p) {
        return (object.*answer)(r, p);
    };
}

} // namespace

void server_process::make_handlers() {
    const home::parts home{*pipelines_, *secrets_, *ledger_};
    intake_ = std::make_unique<intake::intake>(
        *ledger_, clock_, metrics_, config::intake_options(settings_)
    );
    door_ = std::make_unique<server::doorkeeper>(home, metrics_, config::door_options(settings_));
    events_ =
        std::make_unique<server::event_handler>(*door_, *intake_, config::event_options(settings_));
    approvals_ = std::make_unique<server::approval_handler>(
        *door_, *ledger_, clock_, config::approval_options(settings_)
    );
    forge_ =
        std::make_unique<server::forge_handler>(*door_, clock_, [this](pipeline::object_name p) {
            executor_->look_again(std::move(p));
        });
    promotions_ = std::make_unique<server::promotions_api>(*ledger_);
    const auto foresee = [this](
                             pipeline::definition_ptr pipeline,
                             std::string environment,
                             pipeline::revision_facts facts
                         ) {
        return executor_->foresee(std::move(pipeline), std::move(environment), std::move(facts));
    };
    acts_ = std::make_unique<server::acts_api>(home, clock_, foresee);

    const std::vector<server::health_check> alive{
        [this] { return loops_health(); },
        [this] { return writer_health(); },
        [this] { return executor_alive(); },
    };
    std::vector<server::health_check> ready{
        [this] { return pipelines_->health(); },
        [this] { return secrets_->health(); },
        [this] { return ledger_->health(); },
        [this] { return executor_->health(); },
        [this] {
            return certificates_ ? certificates_->health()
                                 : home::part_health{"certificates", true, "not used"};
        },
    };
    admin_ = std::make_unique<server::admin>(metrics_, alive, std::move(ready));
}

void server_process::build_routes() {
    using server::acts_api;
    using server::admin;
    const auto post_event = bind(*events_, &server::event_handler::post);
    // What later features answer at is no namespace today.
    event_routes_.emplace(
        std::vector<server::route>{
            {"POST", "/promotion/{ns}/{pipeline}/{env}", "event", post_event},
            {"POST", "/{ns}/{pipeline}/{env}", "event", post_event},
            {"POST",
             "/approval/{ns}/{pipeline}/{env}/{revision}",
             "approval",
             bind(*approvals_, &server::approval_handler::post)},
            {"POST", "/forge/{ns}/{pipeline}", "forge", bind(*forge_, &server::forge_handler::post)
            },
        },
        std::vector<std::string>{"api", "approve"}
    );
    admin_routes_.emplace(std::vector<server::route>{
        {"GET", "/healthz", "healthz", bind(*admin_, &admin::healthz)},
        {"GET", "/readyz", "readyz", bind(*admin_, &admin::readyz)},
        {"GET", "/metrics", "metrics", bind(*admin_, &admin::metrics)},
    });
    const std::string list = "/api/v1/promotions";
    const std::string one = list + "/{id}";
    control_routes_.emplace(std::vector<server::route>{
        {"GET", list, "promotions", bind(*promotions_, &server::promotions_api::list)},
        {"GET", one, "promotion", bind(*promotions_, &server::promotions_api::show)},
        {"POST", list, "promote", bind(*acts_, &acts_api::promote)},
        {"POST", one + "/approve", "approve", bind(*acts_, &acts_api::approve)},
        {"POST", one + "/reject", "reject", bind(*acts_, &acts_api::reject)},
        {"POST", one + "/cancel", "cancel", bind(*acts_, &acts_api::cancel)},
        {"POST", one + "/retry", "retry", bind(*acts_, &acts_api::retry)},
    });
}

} // namespace sluice::cli
