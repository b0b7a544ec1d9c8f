#include "embedded/file_pipelines.hpp"

#include "base/files.hpp"
#include "observe/log.hpp"
#include "yaml/document.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::embedded {
namespace {

std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const auto& line : lines) out += (out.empty() ? "" : "\n") + line;
    return out;
}

pipeline_file unreadable(const error& why) {
    return {{}, {}, {fmt::format("{}; make it readable or remove it", why.message)}, true};
}

// `read` is not parsed yet: the same bytes, or unreadable for the same cause.
bool is_as_before(const pipeline_file& read, const pipeline_file& before) {
    if (read.unreadable != before.unreadable) return false;
    return read.unreadable ? read.problems == before.problems : read.text == before.text;
}

} // namespace

file_pipelines::file_pipelines(options o, observe::registry& metrics)
    : options_(std::move(o)), reloads_(metrics, "pipelines"),
      current_(std::make_shared<const catalogue>()), now_(current_) {}

result<std::unique_ptr<file_pipelines>>
file_pipelines::open(options o, observe::registry& metrics) {
    std::unique_ptr<file_pipelines> self{new file_pipelines{std::move(o), metrics}};
    file_watch::options watched;
    watched.roots = {self->options_.folder};
    watched.quiet = self->options_.quiet;
    watched.poll = self->options_.poll;
    self->watch_ =
        std::make_unique<file_watch>(std::move(watched)); // before reading: no change is lost
    auto read = self->read_folder();
    if (!read) {
        return error{
            read.error().code,
            fmt::format("{}; give --pipelines a folder that can be read", read.error().message)
        };
    }
    auto first = combine(self->files_, {});
    if (!first.problems.empty()) return error{errc::invalid_argument, joined(first.problems)};
    if (first.pipelines.empty()) {
        log::warn(
            "there is no Pipeline in the folder", {{"folder", self->options_.folder.string()}}
        );
    }
    self->use(std::move(first));
    self->watch_->start([raw = self.get()] { return raw->reload(); });
    return self;
}

pipeline::definition_ptr file_pipelines::find(std::string_view ns, std::string_view name) const {
    return now_.with([&](const catalogue& c) -> pipeline::definition_ptr {
        const auto found = c.pipelines.find(name_view{ns, name});
        return found == c.pipelines.end() ? nullptr : found->second.definition;
    });
}

std::vector<pipeline::definition_ptr> file_pipelines::all() const {
    auto found = now_.with([](const catalogue& c) {
        std::vector<pipeline::definition_ptr> all;
        all.reserve(c.pipelines.size());
        for (const auto& [name, placed] : c.pipelines) all.push_back(placed.definition);
        return all;
    });
    std::ranges::sort(found, {}, [](const auto& p) -> const pipeline::object_name& {
        return p->name;
    });
    return found;
}

home::part_health file_pipelines::health() const {
    const std::scoped_lock lock{told_mutex_};
    return {"pipelines", told_.empty(), told_, available_};
}

result<bool> file_pipelines::read_folder() {
    auto paths = yaml_files(options_.folder);
    if (!paths) return paths.error();
    pipeline_files next;
    const auto count = files_.size();
    bool changed = false;
    unreadable_ = false;
    for (const auto& path : *paths) {
        auto text = read_file(path, yaml::max_text);
        if (!text && text.error().code == errc::not_found)
            continue; // removed meanwhile: the watch tells again
        const auto before = files_.find(path);
        unreadable_ = unreadable_ || !text;
        auto file =
            text ? pipeline_file{std::move(*text), {}, {}, false} : unreadable(text.error());
        if (before != files_.end() && is_as_before(file, before->second)) {
            next.insert(files_.extract(before));
            continue;
        }
        if (text) file = parse_pipeline_file(path, std::move(file.text));
        if (before != files_.end()) {
            if (text && was_emptied(file, before->second)) {
                file.problems.push_back(
                    fmt::format("{}:1:1: the file is empty; write it, or remove it", path.string())
                );
            }
            keep_last_good(file, before->second);
        }
        next.emplace(path, std::move(file));
        changed = true;
    }
    changed = changed || next.size() != count;
    files_ = std::move(next);
    return changed;
}

bool file_pipelines::reload() {
    auto changed = read_folder();
    if (!changed) {
        const auto problem = fmt::format(
            "{}; requests are answered 503 until the folder can be read", changed.error().message
        );
        if (tell(problem)) log::error("the pipelines cannot be read", {{"problem", problem}});
        if (available_.exchange(false)) reloads_.failed.add();
        return false;
    }
    if (!*changed && available_) return !unreadable_;
    use(combine(files_, *current_));
    const auto& problems = current_->problems;
    (problems.empty() ? reloads_.ok : reloads_.failed).add();
    if (problems.empty()) {
        log::info(
            "pipelines read again",
            {{"folder", options_.folder.string()}, {"pipelines", current_->pipelines.size()}}
        );
        (void)tell("");
        return true;
    }
    for (const auto& problem : problems) {
        log::error("a pipeline was not taken, its last good version stays", {{"problem", problem}});
    }
    const auto more = problems.size() > 1 ? fmt::format(" (and {} more)", problems.size() - 1) : "";
    (void)tell(fmt::format("{}{}; the last good version is used", problems.front(), more));
    return !unreadable_;
}

void file_pipelines::use(catalogue next) {
    current_ = std::make_shared<const catalogue>(std::move(next));
    now_.replace(current_);
    available_ = true;
    if (options_.changed) options_.changed();
}

bool file_pipelines::tell(std::string problem) {
    const std::scoped_lock lock{told_mutex_};
    const bool is_news = problem != told_;
    told_ = std::move(problem);
    return is_news;
}

} // namespace sluice::embedded
