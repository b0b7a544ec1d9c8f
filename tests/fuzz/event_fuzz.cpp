#include "base/bytes.hpp"
#include "pipeline/promotion.hpp"
#include "pipeline/trigger.hpp"
#include "pipeline/version.hpp"

#include <cstdint>
#include <cstdlib>

// Any bytes as the body of an event: an error with a text, or an event whose facts can be used everywhere.
namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace sluice;
    const std::string_view body{reinterpret_cast<const char*>(data), size};
    const auto event = pipeline::parse_event(body, time_point{});
    if (!event) {
        require(!event.error().detail.empty());
        require(is_utf8(event.error().detail));
        return 0;
    }
    const auto& facts = event->facts;
    require(is_utf8(facts.revision) && is_utf8(event->message));
    const auto written = pipeline::written_form(facts);
    require(written.empty() == facts.revision.empty());
    require(pipeline::same_release(facts, facts));
    require(event->verdict != pipeline::verdict::healthy || !written.empty());
    if (written.empty()) return 0;
    const pipeline::promotion_id id{{"ns", "name"}, "env", written};
    require(pipeline::promotion_id::parse(id.text()) == id);
    return 0;
}
