#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/secret_string.hpp"
#include "net/http_client.hpp"
#include "observe/metrics.hpp"
#include "promotion/manifest/marker.hpp"
#include "promotion/manifest/present_value.hpp"

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

// One repository as a bare cache in the state folder. Everything here blocks and runs on a git thread; the network is
// reached through the client's loop, with its deadlines. Start reading here.
namespace sluice::promotion::git {

struct login {
    std::string username;
    secret_string password;
    secret_string bearer; // instead of username and password
    std::shared_ptr<const net::client_tls> tls;
    // Of a credential whose token is renewed (a GitHub App): what stays the same. Names the cache instead of the token.
    std::string identity;
    std::string secret; // its name, for the person who must mend it
};

struct remote {
    std::string url; // https://, http:// (with a warning) or file:// below an allowed root
    git::login login;

    // Same for the same URL and credential, different otherwise; says neither. Names the cache folder and the lane.
    [[nodiscard]] std::string key() const;
};

class warm_caches; // caches that stay open between two uses
[[nodiscard]] std::shared_ptr<warm_caches> make_warm_caches();

// What all repositories share.
struct environment {
    std::filesystem::path caches;             // STATE/git
    std::filesystem::path local_repositories; // root below which file:// is allowed; empty: nowhere
    net::http_client* client = nullptr;       // used only on `loop`
    boost::asio::io_context* loop = nullptr;
    observe::registry* metrics = nullptr;
    std::chrono::milliseconds transfer_limit{600'000}; // one fetch or push, all of it
    std::shared_ptr<warm_caches> warm = make_warm_caches();
};

struct author {
    std::string name;
    std::string email;
};

struct new_commit {
    std::string tree;
    std::string parent;
    git::author by;
    time_point at;
    std::string message;
};

// What a promotion changes in a tree.
struct file_change {
    std::string path;
    int line = 0;
    std::string from;
    std::string to;

    friend bool operator==(const file_change&, const file_change&) = default;
};
struct patched_tree {
    std::string tree; // equal to the parent's: nothing to change
    std::vector<file_change> changes;
    std::vector<present_value> places; // markers and fields of this promotion, changed or not
    std::vector<std::string>
        unreadable;                  // "path:line: why", files that hold marker bytes and no YAML
    std::vector<std::string> strays; // "path:line: why", markers that mark nothing
};

struct ref_update {
    std::string branch;
    std::string expected; // its tip now; empty: it must not exist
    std::string target;   // empty: delete
};
enum class ref_result {
    done,
    moved,   // the tip is not the expected one (any more)
    refused, // by the server: protected branch, hook
    later,   // the server could not take it now
};
struct ref_outcome {
    std::string branch;
    ref_result result = ref_result::refused;
    std::string message;
};

// What patch() and commit() make is in memory, until a push takes it away; else it ends with this object.
class repository {
public:
    // Opens the cache, makes it, or rebuilds one that is broken. Leftovers of a killed fetch are removed.
    [[nodiscard]] static result<std::unique_ptr<repository>>
    open(const environment& env, git::remote r);
    ~repository();

    // One fetch of these branches. The tips of those that exist.
    [[nodiscard]] result<std::map<std::string, std::string>>
    fetch(const std::vector<std::string>& branches);

    // The tree of `commit` with the promotion's facts written to its markers and to `fields`. Reads only blobs the marker index
    // does not know. Errors: unprocessable (permanent), the message names path and line.
    [[nodiscard]] result<patched_tree> patch(
        const std::string& commit,
        const promotion_key& key,
        const pipeline::revision_facts& facts,
        std::span<const pipeline::manifest_field> fields
    );
    // What the markers of the promotion and `fields` say in `commit`.
    [[nodiscard]] result<std::vector<present_value>> places(
        const std::string& commit,
        const promotion_key& key,
        std::span<const pipeline::manifest_field> fields
    );
    // Deterministic: the same request gives the same id, here and on every machine.
    [[nodiscard]] result<std::string> commit(const new_commit& c);

    // One push; where the server takes none of several for a reason of its own, each is pushed alone. An error is about all of
    // them (transient or permanent); what became of single refs is in the list.
    [[nodiscard]] result<std::vector<ref_outcome>> push(const std::vector<ref_update>& updates);

    // `ancestor` is `tip` or one of its ancestors. False also when the cache does not know it.
    [[nodiscard]] result<bool> contains(const std::string& tip, const std::string& ancestor);
    // All commits of `tip` beyond `base` are by one of these authors (name and e-mail as written).
    [[nodiscard]] result<bool>
    only_by(const std::string& tip, const std::string& base, std::span<const author> authors);
    // Unified, three lines of context, at most `limit` bytes.
    [[nodiscard]] result<std::string>
    diff(const std::string& from_commit, const std::string& to_tree_or_commit, std::size_t limit);

private:
    struct impl;
    explicit repository(std::unique_ptr<impl> i);
    std::unique_ptr<impl> impl_;
};

} // namespace sluice::promotion::git
