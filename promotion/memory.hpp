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
    std::map<pipeline::object_name, time_point> told; // by the forge, of its pull requests

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
    std::set<pipeline::promotion_id>
        left_behind; // told once: ended with something in a repository nobody names any more

    [[nodiscard]] std::optional<look> last_look(const pipeline::promotion_id& id) const {
        const auto found = looks.find(id);
        return found == looks.end() ? std::nullopt : std::optional{found->second};
    }
    // Unless somebody told of its pipeline since the ledger was read for the run that looked.
    void looked(const pipeline::promotion_id& id, time_point begun, time_point at, bool carried) {
        const auto news = told.find(id.pipeline);
        if (news != told.end() && news->second >= begun) return;
        auto& known = looks[id];
        known.at = at;
        known.carried = carried;
    }
    // Everything of this pipeline that waits for others is due now.
    void was_told_of(const pipeline::object_name& pipeline, time_point now) {
        told[pipeline] = now;
        std::erase_if(looks, [&](const auto& entry) { return entry.first.pipeline == pipeline; });
    }
    void worked(const pipeline::promotion_id& id) { looks[id].failures = 0; }
    void failed_to_look(const pipeline::promotion_id& id) { ++looks[id].failures; }
};

} // namespace sluice::promotion
