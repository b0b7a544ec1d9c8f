#include "embedded/sqlite.hpp"

#include <cstring>

namespace sluice::embedded::sqlite {
namespace {

// SQLite counts every allocation under one lock of the whole process unless it is told not to before its first use.
void count_no_memory() {
    static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    (void)once; // already in use: it goes on counting, which is only slower
}

} // namespace

std::string_view to_string(trouble t) noexcept {
    switch (t) {
    case trouble::full: return "full";
    case trouble::fsync: return "fsync";
    case trouble::io: return "io";
    case trouble::busy: return "busy";
    case trouble::constraint: return "constraint";
    case trouble::other: return "other";
    }
    return "other";
}

trouble failure::kind() const noexcept {
    if (code_ == SQLITE_IOERR_FSYNC || code_ == SQLITE_IOERR_DIR_FSYNC) return trouble::fsync;
    switch (code_ & 0xff) {
    case SQLITE_FULL: return trouble::full;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY: return trouble::io;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return trouble::busy;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG: return trouble::constraint;
    default: return trouble::other;
    }
}

connection::connection(const std::string& path, access how, const std::string& vfs) {
    count_no_memory();
    const int mode = how == access::read_only ? SQLITE_OPEN_READONLY
                                              : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    sqlite3* raw = nullptr;
    // Each connection belongs to one thread at a time, so SQLite's own mutex is only cost.
    const int code = sqlite3_open_v2(
        path.c_str(), &raw, mode | SQLITE_OPEN_NOMUTEX, vfs.empty() ? nullptr : vfs.c_str()
    );
    db_.reset(raw);
    if (code != SQLITE_OK) fail(code, ("open " + path).c_str());
    sqlite3_extended_result_codes(raw, 1);
    sqlite3_busy_timeout(raw, 2'000);
}

void connection::fail(int code, const char* doing) const {
    const int extended = db_ ? sqlite3_extended_errcode(db_.get()) : code;
    std::string text =
        std::string{doing} + ": " + (db_ ? sqlite3_errmsg(db_.get()) : sqlite3_errstr(code));
    if (const int cause = db_ ? sqlite3_system_errno(db_.get()) : 0; cause != 0) {
        text += std::string{" ("} + std::strerror(cause) + ")";
    }
    throw failure(extended == SQLITE_OK ? code : extended, text);
}

void connection::execute(const char* sql) {
    const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code, sql);
}

std::int64_t connection::integer(const char* sql) {
    statement s{*this, sql};
    auto row = s.query();
    if (!row.next()) throw failure(SQLITE_EMPTY, std::string{sql} + ": no row");
    return row.integer(0);
}

bool connection::in_transaction() const noexcept {
    return sqlite3_get_autocommit(db_.get()) == 0;
}

void connection::roll_back() noexcept {
    if (in_transaction()) sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

statement::statement(connection& db, std::string_view sql) : db_(&db) {
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(
        db.handle(),
        sql.data(),
        static_cast<int>(sql.size()),
        SQLITE_PREPARE_PERSISTENT,
        &raw,
        nullptr
    );
    statement_.reset(raw);
    if (code != SQLITE_OK) db.fail(code, std::string{sql}.c_str());
}

void statement::check(int code) const {
    if (code != SQLITE_OK) db_->fail(code, sqlite3_sql(statement_.get()));
}

void statement::bind(int index, std::string_view text) {
    if (text.empty()) return check(sqlite3_bind_null(statement_.get(), index));
    check(sqlite3_bind_text64(
        statement_.get(), index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8
    ));
}

void statement::bind(int index, sqlite::blob bytes) {
    check(sqlite3_bind_blob64(statement_.get(), index, bytes.data(), bytes.size(), SQLITE_STATIC));
}

void statement::bind(int index, const std::optional<std::int64_t>& value) {
    if (!value) return check(sqlite3_bind_null(statement_.get(), index));
    bind_integer(index, *value);
}

void statement::bind_integer(int index, std::int64_t value) {
    check(sqlite3_bind_int64(statement_.get(), index, value));
}

bool statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) db_->fail(code, sqlite3_sql(statement_.get()));
    return false;
}

std::int64_t statement::cursor::integer(int column) const {
    return sqlite3_column_int64(s_->statement_.get(), column);
}

std::string_view statement::cursor::text(int column) const {
    const auto* text = sqlite3_column_text(s_->statement_.get(), column);
    if (text == nullptr) return {};
    const auto size = sqlite3_column_bytes(s_->statement_.get(), column);
    return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
}

blob statement::cursor::blob(int column) const {
    const auto* bytes = sqlite3_column_blob(s_->statement_.get(), column);
    const auto size = sqlite3_column_bytes(s_->statement_.get(), column);
    return {static_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(size)};
}

bool statement::cursor::is_null(int column) const {
    return sqlite3_column_type(s_->statement_.get(), column) == SQLITE_NULL;
}

} // namespace sluice::embedded::sqlite
