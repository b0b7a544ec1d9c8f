#pragma once

#include "embedded/sqlite.hpp"
#include "pipeline/promotion.hpp"

// What several queries read in the same way.
namespace sluice::embedded {

// Five columns from `first` on: revision, app version, digest, image, tag.
[[nodiscard]] pipeline::revision_facts facts_at(const sqlite::statement::cursor& row, int first);

// Throws on a word this program does not know: the file was written by another one.
[[nodiscard]] pipeline::promotion_state state_at(const sqlite::statement::cursor& row, int column);

} // namespace sluice::embedded
