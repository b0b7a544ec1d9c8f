#include "embedded/ledger_reader.hpp"

#include "embedded/ledger_codes.hpp"
#include "embedded/ledger_rows.hpp"
#include "embedded/ledger_schema.hpp"

#include <algorithm>

namespace sluice::embedded {
namespace {

constexpr std::string_view columns =
    "SELECT e.namespace, e.pipeline, e.name, p.revision, p.kind, p.attempt, p.full_revision, "
    "p.app_version, p.digest, p.image, p.tag, p.state, p.reason, p.message, p.from_environment, "
    "p.first_evidence, p.created_at, p.updated_at, p.retry_at, p.seq, p.actor, p.url, "
    "w.promotion, w.repository, w.base_branch, w.branch, w.base_commit, w.commit_id, w.replaced, "
    "w.failures, w.pull_request_state, w.pull_request_url, w.pull_request_number, "
    "w.pull_request_head ";
constexpr int state_column = 11;
constexpr int seq_column = 19;
constexpr int actor_column = 20;
constexpr int url_column = 21;
constexpr int work_column = 22;
constexpr std::string_view with_work = "LEFT JOIN work w ON w.promotion = p.seq ";
constexpr std::string_view wanted =
    "WHERE (?1 IS NULL OR e.namespace = ?1) AND (?2 IS NULL OR e.pipeline = ?2) "
    "AND (?3 IS NULL OR e.name = ?3) AND (?4 IS NULL OR p.state = ?4) ";

std::string sql(std::string_view from, std::string_view rest) {
    std::string text{columns};
    text += from;
    text += with_work;
    text += rest;
    return text;
}

// The first six columns.
pipeline::promotion_id id_at(const sqlite::statement::cursor& row) {
    return {
        {row.string(0), row.string(1)},
        row.string(2),
        row.string(3),
        kind_of(row.integer(4)),
        static_cast<int>(row.integer(5))
    };
}

pipeline::promotion_work work_at(const sqlite::statement::cursor& row) {
    pipeline::promotion_work w;
    if (row.is_null(work_column)) return w;
    w.repository = row.text(work_column + 1);
    w.base_branch = row.text(work_column + 2);
    w.branch = row.text(work_column + 3);
    w.base_commit = row.text(work_column + 4);
    w.commit = row.text(work_column + 5);
    w.replaced = row.text(work_column + 6);
    w.failures = static_cast<int>(row.integer(work_column + 7));
    if (const auto state = pipeline::parse_pull_request_state(row.text(work_column + 8))) {
        w.pull_request = pipeline::pull_request{
            row.string(work_column + 9),
            row.integer(work_column + 10),
            *state,
            row.string(work_column + 11)
        };
    }
    return w;
}

pipeline::promotion promotion_at(const sqlite::statement::cursor& row) {
    pipeline::promotion p;
    p.id = id_at(row);
    p.facts = facts_at(row, 6);
    p.state = state_at(row, state_column);
    p.reason = row.text(12);
    p.message = row.text(13);
    p.from_environment = row.text(14);
    p.first_evidence = time_of(row.integer(15));
    p.created_at = time_of(row.integer(16));
    p.updated_at = time_of(row.integer(17));
    if (!row.is_null(18)) p.retry_at = time_of(row.integer(18));
    p.url = row.text(url_column);
    p.work = work_at(row);
    return p;
}

error unreadable(const sqlite::failure& f) {
    return error(errc::unavailable, f.what(), "the ledger cannot be read now; try again")
        .after(std::chrono::seconds{1});
}

} // namespace

result<std::unique_ptr<ledger_reader>>
ledger_reader::open(const std::filesystem::path& database, const std::string& vfs) {
    // SQLite would say only "unable to open".
    if (std::error_code ec; vfs.empty() && !std::filesystem::exists(database, ec)) {
        return error(
            errc::not_found, database.string() + " does not exist; is it the --state of a server?"
        );
    }
    try {
        sqlite::connection db{database.string(), sqlite::access::read_only, vfs};
        if (auto usable = check_schema(db); !usable) return usable.error();
        return std::unique_ptr<ledger_reader>{new ledger_reader{std::move(db)}};
    } catch (const sqlite::failure& f) {
        return error(errc::unavailable, f.what());
    }
}

ledger_reader::ledger_reader(sqlite::connection db)
    : db_(std::move(db)), loader_(db_),
      // Newest first without sorting: their place is their age.
      list_all_(
          db_,
          sql("FROM promotions p CROSS JOIN environments e ON e.id = p.environment ",
              std::string{wanted} + "ORDER BY p.seq DESC LIMIT ?5")
      ),
      // One pipeline's promotions lie together in the index: read those, then sort.
      list_pipeline_(
          db_,
          sql("FROM environments e CROSS JOIN promotions p ON p.environment = e.id ",
              std::string{wanted} + "ORDER BY +p.seq DESC LIMIT ?5")
      ),
      all_(db_, "SELECT seq, state FROM promotions"),
      at_(db_,
          sql("FROM promotions p CROSS JOIN environments e ON e.id = p.environment ",
              "WHERE p.seq = ?")),
      cancelled_(
          db_,
          std::string{columns} +
              "FROM work w INDEXED BY work_open CROSS JOIN promotions p ON p.seq = w.promotion "
              "JOIN environments e ON e.id = p.environment "
              "WHERE w.pull_request_state = 'open' AND p.state = 'Cancelled'"
      ),
      show_(
          db_,
          sql("FROM environments e CROSS JOIN promotions p ON p.environment = e.id ",
              "WHERE e.namespace = ? AND e.pipeline = ? AND e.name = ? AND p.revision = ? AND "
              "p.kind = ? "
              "AND p.attempt = ?")
      ),
      history_(
          db_,
          "SELECT at, state, reason, message, actor FROM history WHERE promotion = ? ORDER BY nth"
      ) {}

// One state of the ledger for all statements of a query.
template <class Query>
auto ledger_reader::snapshot(Query query) -> decltype(query()) {
    try {
        db_.execute("BEGIN");
        auto found = query();
        db_.roll_back();
        return found;
    } catch (const sqlite::failure& f) {
        db_.roll_back();
        return unreadable(f);
    }
}

result<std::vector<pipeline::promotion>> ledger_reader::list(const home::promotion_filter& filter) {
    return snapshot([&]() -> result<std::vector<pipeline::promotion>> {
        auto& statement = filter.pipeline.empty() ? list_all_ : list_pipeline_;
        const auto limit =
            static_cast<std::int64_t>(std::min<std::size_t>(filter.limit, 1'000'000));
        std::vector<pipeline::promotion> found;
        for (auto row = statement.query(
                 filter.ns, filter.pipeline, filter.environment, filter.state, limit
             );
             row.next();) {
            found.push_back(promotion_at(row));
        }
        return found;
    });
}

result<std::vector<pipeline::promotion>> ledger_reader::live(touched_promotions& touched) {
    if (!looked_at_all_) touched.begin();
    // What is named here is committed, so the snapshot that begins after it has it.
    for (const auto seq : touched.take()) unread_.insert(seq);
    return snapshot([&]() -> result<std::vector<pipeline::promotion>> {
        if (!looked_at_all_) look_at_all();
        read_touched();
        std::vector<std::pair<std::int64_t, pipeline::promotion>> found;
        found.assign(alive_.begin(), alive_.end());
        for (auto row = cancelled_.query(); row.next();)
            found.emplace_back(row.integer(seq_column), promotion_at(row));
        std::ranges::sort(found, {}, [](const auto& each) { return each.first; });
        std::vector<pipeline::promotion> oldest_first;
        oldest_first.reserve(found.size());
        for (auto& each : found) oldest_first.push_back(std::move(each.second));
        return oldest_first;
    });
}

// Once: afterwards the writer names what changes.
void ledger_reader::look_at_all() {
    for (auto row = all_.query(); row.next();) {
        if (!is_over(state_at(row, 1))) unread_.insert(row.integer(0));
    }
    looked_at_all_ = true;
}

void ledger_reader::read_touched() {
    // A failed one may be trimmed, and nobody names that.
    for (const auto& [seq, each] : alive_) {
        if (each.state == pipeline::promotion_state::failed) unread_.insert(seq);
    }
    for (const auto seq : unread_) {
        auto row = at_.query(seq);
        if (row.next() && !is_over(state_at(row, state_column))) {
            alive_.insert_or_assign(seq, promotion_at(row));
        } else {
            alive_.erase(seq);
        }
    }
    unread_.clear();
}

result<home::promotion_details> ledger_reader::show(const std::string& text) {
    const auto id = pipeline::promotion_id::parse(text);
    if (!id) {
        return error(
            errc::invalid_argument,
            "'" + text + "' is not a promotion; write NAMESPACE/PIPELINE/ENVIRONMENT@REVISION"
        );
    }
    return snapshot([&]() -> result<home::promotion_details> {
        auto row = show_.query(
            id->pipeline.ns,
            id->pipeline.name,
            id->environment,
            id->revision,
            to_code(id->kind),
            id->attempt
        );
        if (!row.next()) return error(errc::not_found, "there is no promotion " + text);
        home::promotion_details found;
        found.promotion = promotion_at(row);
        const auto add = [&](const auto& r, int at, int state, int reason, int actor) {
            found.history.push_back(
                {time_of(r.integer(at)),
                 r.string(state),
                 r.string(reason),
                 r.string(reason + 1),
                 r.string(actor)}
            );
        };
        for (auto past = history_.query(row.integer(seq_column)); past.next();)
            add(past, 0, 1, 2, 4);
        add(row, 17, state_column, 12, actor_column);
        return found;
    });
}

result<pipeline::pipeline_records> ledger_reader::records(const pipeline::object_name& pipeline) {
    return snapshot([&]() -> result<pipeline::pipeline_records> {
        return loader_.load(pipeline).records;
    });
}

} // namespace sluice::embedded
