#pragma once

#include "embedded/snapshot.hpp"
#include "pipeline/pipeline.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

// What a folder of pipeline files says, without touching a disk: parse each file, then combine them.
namespace sluice::embedded {

struct placed_pipeline {
    pipeline::definition_ptr definition;
    std::string place; // "file:line:column"
    bool kept = false; // from the last good version of a file that has mistakes now
};

struct pipeline_file {
    std::string text;
    std::vector<placed_pipeline> pipelines;
    std::vector<std::string> problems; // "file:line:column: message; remedy"
    bool unreadable = false;
};

// Pipelines of all documents and Lists; other kinds are skipped.
[[nodiscard]] pipeline_file
parse_pipeline_file(const std::filesystem::path& file, std::string text);

// What a broken edit must not lose: from a file with mistakes all that is right is taken, and what was there before and is not
// right now stays as it was.
void keep_last_good(pipeline_file& now, const pipeline_file& before);

// A file is empty for a moment while it is written in place, and for long when the disk was full: that takes no pipeline away.
// Who means to, removes the file.
[[nodiscard]] bool was_emptied(const pipeline_file& now, const pipeline_file& before);

using pipeline_files = std::map<std::filesystem::path, pipeline_file>;

struct catalogue {
    by_name<placed_pipeline> pipelines;
    std::vector<std::string> problems; // of the files, and names defined twice
};

// A name that is there twice goes to the place that had it before, else to the first; the other place is a problem.
[[nodiscard]] catalogue combine(const pipeline_files& files, const catalogue& before);

} // namespace sluice::embedded
