#pragma once

#include "base/result.hpp"
#include "cli/demo_folder.hpp"

#include <nlohmann/json.hpp>

#include <ostream>
#include <string>
#include <string_view>

namespace sluice::cli {

// What the demo shows, step by step, against the server at `url` that runs on the folder.
class demo_story {
public:
    demo_story(const demo_folder& folder, std::string url, std::ostream& out)
        : folder_(folder), url_(std::move(url)), out_(out) {}

    // From the event to the pushed branch.
    [[nodiscard]] outcome tell();
    // Commands for another terminal, each of which can be pasted as it is.
    void tell_how_to_go_on();
    // Where nobody could paste them.
    void tell_the_end();

private:
    void step(std::string_view text);
    void detail(std::string_view text);
    [[nodiscard]] outcome send_event();
    [[nodiscard]] result<nlohmann::ordered_json> wait_for_branch();
    [[nodiscard]] outcome show_diff(const std::string& branch);
    void trigger_commands(const std::string& environment, std::string_view version);

    const demo_folder& folder_;
    std::string url_;
    std::ostream& out_;
    int step_ = 0;
};

} // namespace sluice::cli
