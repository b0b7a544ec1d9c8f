#pragma once

#include "base/clock.hpp"
#include "home/secrets.hpp"
#include "promotion/schedule.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace sluice::promotion {

// What the executor remembers beside the ledger. Losing it costs some requests, never a promotion. Used on its loop.
struct memory {
    std::map<pipeline::promotion_id, look> looks;

    // What a promotion met when it was last tried: once one of them differs, a Failed one is worth another try.
    struct circumstances {
        pipeline::definition_ptr pipeline;
        home::secret_ptr secret;
        std::string base; // tip; empty: not looked at yet
    };
    std::map<pipeline::promotion_id, circumstances> tried;

    // Ended promotions that may still have something open outside, or be opened again there.
    std::map<pipeline::promotion_id, pipeline::promotion> ended;

    std::set<pipeline::promotion_id> paused; // told once

    [[nodiscard]] std::optional<look> last_look(const pipeline::promotion_id& id) const {
        const auto found = looks.find(id);
        return found == looks.end() ? std::nullopt : std::optional{found->second};
    }
    void looked(const pipeline::promotion_id& id, time_point now) { looks[id].at = now; }
    void worked(const pipeline::promotion_id& id) { looks[id].failures = 0; }
    void failed_to_look(const pipeline::promotion_id& id) { ++looks[id].failures; }
};

} // namespace sluice::promotion
