#include "pipeline/schema.hpp"
#include "yaml/document.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

// Any bytes: a stream of documents or an error, and for each object a definition or mistakes that have a place and a remedy.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto documents = sluice::yaml::read_documents(text);
    if (!documents) return 0;
    for (const auto& document : *documents) {
        for (const auto& object : sluice::pipeline::objects_in(document.value)) {
            const auto source = [&](std::string_view pointer) {
                return std::string{document.source(object.pointer + std::string{pointer})};
            };
            const auto read = sluice::pipeline::read_pipeline(*object.value, source);
            const auto* mistakes = std::get_if<std::vector<sluice::pipeline::mistake>>(&read);
            if (mistakes == nullptr) continue;
            for (const auto& m : *mistakes) {
                const auto at = document.where(object.pointer + m.pointer);
                if (at.line < 1 || at.column < 1 || m.message.empty() || m.remedy.empty())
                    std::abort();
            }
        }
    }
    return 0;
}
