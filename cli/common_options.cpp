#include "cli/common_options.hpp"

#include "config/checks.hpp"
#include "config/settings.hpp"
#include "pipeline/promotion.hpp"

#include <CLI/Validators.hpp>

#include <cstdlib>
#include <vector>

namespace sluice::cli {

void add_state_option(CLI::App& sub, std::string& state) {
    const char* from_environment = std::getenv("SLUICE_STATE");
    state = from_environment != nullptr ? from_environment : config::settings{}.state;
    sub.add_option("--state", state, "state folder of the server, also SLUICE_STATE")
        ->capture_default_str();
}

void add_output_option(CLI::App& sub, std::string& output, const std::string& for_people) {
    output = for_people;
    sub.add_option("-o,--output", output, for_people + " or json")
        ->check(CLI::IsMember(std::vector<std::string>{for_people, "json"}))
        ->capture_default_str();
}

std::string known_promotion_id(const std::string& text) {
    if (pipeline::promotion_id::parse(text)) return {};
    return "\"" + text + "\" is no promotion; write it as NAMESPACE/PIPELINE/ENVIRONMENT@REVISION";
}

std::string known_pipeline_name(const std::string& text) {
    return config::pipeline_name(text);
}

} // namespace sluice::cli
