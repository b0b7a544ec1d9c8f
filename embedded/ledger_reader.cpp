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
    "p.first_evidence, p.created_at, p.updated_at, p.retry_at, p.seq, p.actor ";
constexpr int seq_column = 19;
constexpr int actor_column = 20;
constexpr std::string_view wanted =
    "WHERE (?1 IS NULL OR e.namespace = ?1) AND (?2 IS NULL OR e.pipeline = ?2) "
    "AND (?3 IS NULL OR e.name = ?3) AND (?4 IS NULL OR p.state = ?4) ";

std::string sql(std::string_view from, std::string_view rest) {
    std::string text{columns};
    text += from;
    text += rest;
    return text;
}

pipeline::promotion promotion_at(const sqlite::statement::cursor& row) {
    pipeline::promotion p;
    p.id.pipeline.ns = row.text(0);
    p.id.pipeline.name = row.text(1);
    p.id.environment = row.text(2);
    p.id.revision = row.text(3);
    p.id.kind = kind_of(row.integer(4));
    p.id.attempt = static_cast<int>(row.integer(5));
    p.facts = facts_at(row, 6);
    p.state = state_at(row, 11);
    p.reason = row.text(12);
    p.message = row.text(13);
    p.from_environment = row.text(14);
    p.first_evidence = time_of(row.integer(15));
    p.created_at = time_of(row.integer(16));
    p.updated_at = time_of(row.integer(17));
    if (!row.is_null(18)) p.retry_at = time_of(row.integer(18));
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
      // Newest first without sorting: by the index on seq.
      list_all_(
          db_,
          sql("FROM promotions p INDEXED BY promotions_by_age JOIN environments e ON e.id = "
              "p.environment ",
              std::string{wanted} + "ORDER BY p.seq DESC LIMIT ?5")
      ),
      // One pipeline's promotions lie together: read those, then sort.
      list_pipeline_(
          db_,
          sql("FROM environments e CROSS JOIN promotions p ON p.environment = e.id ",
              std::string{wanted} + "ORDER BY +p.seq DESC LIMIT ?5")
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
          "SELECT at, state, reason, message, actor FROM history WHERE promotion = ? ORDER BY id"
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
        add(row, 17, 11, 12, actor_column);
        return found;
    });
}

result<pipeline::pipeline_records> ledger_reader::records(const pipeline::object_name& pipeline) {
    return snapshot([&]() -> result<pipeline::pipeline_records> {
        return loader_.load(pipeline).records;
    });
}

} // namespace sluice::embedded
