#include "embedded/file_secrets.hpp"

#include "base/offload.hpp"
#include "base/secret_folder.hpp"
#include "observe/log.hpp"

#include <fmt/format.h>

namespace sluice::embedded {
namespace {

bool is_blank(const secret_string& value) {
    return value.reveal().find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// `tool > hmac-key` empties the file before the tool has a word to say; taken as a key, every sender would be refused.
outcome check_not_emptied(
    const std::filesystem::path& folder, const home::secret& before, const secret_content& now
) {
    for (const auto& [key, value] : before.data) {
        const auto found = now.data.find(key);
        if (found == now.data.end() || is_blank(value) || !is_blank(found->second)) continue;
        return error{
            errc::invalid_argument,
            fmt::format(
                "{}: the file is empty; write the key, or remove it", (folder / key).string()
            )
        };
    }
    return {};
}

} // namespace

file_secrets::file_secrets(options o, observe::registry& metrics)
    : options_(std::move(o)), reloads_(metrics, "secrets"),
      current_(std::make_shared<const catalogue>()), now_(current_) {}

file_secrets::~file_secrets() {
    watch_.reset();
    pool_.join();
}

result<std::unique_ptr<file_secrets>> file_secrets::open(options o, observe::registry& metrics) {
    std::unique_ptr<file_secrets> self{new file_secrets{std::move(o), metrics}};
    file_watch::options watched;
    watched.roots = {self->options_.folder};
    watched.quiet = self->options_.quiet;
    watched.poll = self->options_.poll;
    self->watch_ =
        std::make_unique<file_watch>(std::move(watched)); // before reading: no change is lost
    auto read = self->read_folder();
    const auto problem = read ? read->problem : read.error().message;
    if (!problem.empty()) {
        return error{
            errc::invalid_argument,
            fmt::format(
                "{}; give --secrets a folder <namespace>/<name>/<key> that can be read", problem
            )
        };
    }
    self->use(std::move(read->secrets));
    self->watch_->start([raw = self.get()] { return raw->reload(); });
    return self;
}

home::secret_ptr file_secrets::find(std::string_view ns, std::string_view name) const {
    return now_.with([&](const catalogue& c) -> home::secret_ptr {
        const auto found = c.find(name_view{ns, name});
        return found == c.end() ? nullptr : found->second;
    });
}

boost::asio::awaitable<home::secret_ptr> file_secrets::refresh(std::string ns, std::string name) {
    if (!is_fresh({ns, name})) {
        auto read = [this, wanted = pipeline::object_name{ns, name}] { refresh_now(wanted); };
        co_await offload(pool_, std::move(read));
    }
    co_return find(ns, name);
}

home::part_health file_secrets::health() const {
    const std::scoped_lock lock{told_mutex_};
    return {"secrets", told_.empty(), told_, available_};
}

result<home::secret_ptr>
file_secrets::read_one(const std::filesystem::path& folder, const home::secret_ptr& before) {
    auto content = read_secret_folder(folder);
    if (!content) return content.error();
    if (!content->readable_by_all.empty() && !warned_readable_) {
        warned_readable_ = true;
        log::warn(
            "a secret can be read by everyone on this machine; chmod it to 0600",
            {{"file", content->readable_by_all.front().string()}}
        );
    }
    if (before != nullptr) {
        if (before->data == content->data) return before;
        if (auto whole = check_not_emptied(folder, *before, *content); !whole) return whole.error();
    }
    auto next = std::make_shared<home::secret>();
    next->data = std::move(content->data);
    next->generation = ++generation_;
    return home::secret_ptr{std::move(next)};
}

result<file_secrets::loaded> file_secrets::read_folder() {
    auto folders = list_secret_folders(options_.folder);
    if (!folders) return folders.error();
    loaded next;
    std::size_t problems = 0;
    for (const auto& folder : *folders) {
        const auto known = current_->find(name_view{folder.ns, folder.name});
        const auto before = known == current_->end() ? nullptr : known->second;
        auto read = read_one(folder.path, before);
        if (!read && read.error().code == errc::not_found) continue; // removed meanwhile
        if (!read && problems++ == 0) next.problem = read.error().message;
        const auto secret = read ? *read : before;
        next.changed = next.changed || secret != before;
        if (secret != nullptr)
            next.secrets.emplace(pipeline::object_name{folder.ns, folder.name}, secret);
    }
    if (problems > 1) next.problem += fmt::format(" (and {} more)", problems - 1);
    next.changed = next.changed || next.secrets.size() != current_->size();
    return next;
}

bool file_secrets::reload() {
    const std::scoped_lock lock{loading_};
    auto read = read_folder();
    if (!read) {
        const auto problem = fmt::format(
            "{}; requests are answered 503 until the folder can be read", read.error().message
        );
        if (tell(problem)) log::error("the secrets cannot be read", {{"problem", problem}});
        if (available_.exchange(false)) reloads_.failed.add();
        return false;
    }
    const bool was_well = available_ && health().ok;
    // Before the content: whoever sees what is new does not hear of what was wrong before it.
    const bool news = tell(
        read->problem.empty() ? "" : fmt::format("{}; its last good content is used", read->problem)
    );
    if (read->changed || !available_) use(std::move(read->secrets));
    if (read->problem.empty()) {
        if (!read->changed && was_well) return true;
        reloads_.ok.add();
        log::info(
            "secrets read again",
            {{"folder", options_.folder.string()}, {"secrets", current_->size()}}
        );
        return true;
    }
    if (news) {
        reloads_.failed.add();
        log::error(
            "a secret was not taken, its last good content stays", {{"problem", read->problem}}
        );
    }
    return false;
}

void file_secrets::refresh_now(const pipeline::object_name& name) {
    if (is_fresh(name)) return; // the flight before this one was ours too
    {
        const std::scoped_lock lock{loading_};
        const auto known = current_->find(name);
        const auto before = known == current_->end() ? nullptr : known->second;
        auto read = read_one(options_.folder / name.ns / name.name, before);
        if (read && *read != before) {
            auto next = *current_;
            next.insert_or_assign(name, std::move(*read));
            use(std::move(next));
        }
    }
    const std::scoped_lock lock{told_mutex_};
    refreshed_.insert_or_assign(name, steady::now());
}

bool file_secrets::is_fresh(name_view name) const {
    const std::scoped_lock lock{told_mutex_};
    const auto found = refreshed_.find(name);
    return found != refreshed_.end() && steady::now() - found->second < options_.refresh_every;
}

void file_secrets::use(catalogue next) {
    current_ = std::make_shared<const catalogue>(std::move(next));
    now_.replace(current_);
    available_ = true;
    if (options_.changed) options_.changed();
}

bool file_secrets::tell(std::string problem) {
    const std::scoped_lock lock{told_mutex_};
    const bool is_news = problem != told_;
    told_ = std::move(problem);
    return is_news;
}

} // namespace sluice::embedded
