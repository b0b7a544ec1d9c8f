#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

// The C API of SQLite with owners. A failure is thrown here and caught once per batch or query, where its kind decides.
namespace sluice::embedded::sqlite {

enum class trouble {
    full,       // no space: goes away by itself or by an operator
    fsync,      // what was written may be gone: nothing may be acknowledged any more
    io,         // the disk failed otherwise
    busy,       // another connection holds the lock
    constraint, // what was asked contradicts the schema: a bug of the one who asked
    other,
};
[[nodiscard]] std::string_view to_string(trouble t) noexcept;

class failure : public std::runtime_error {
public:
    failure(int extended_code, const std::string& text)
        : std::runtime_error(text), code_(extended_code) {}
    [[nodiscard]] int code() const noexcept { return code_; }
    [[nodiscard]] trouble kind() const noexcept;

private:
    int code_;
};

enum class access { read_write, read_only };

class connection {
public:
    // An empty vfs is the default one.
    connection(const std::string& path, access how, const std::string& vfs = {});

    void execute(const char* sql);
    [[nodiscard]] std::int64_t integer(const char* sql); // the one value a query answers
    [[nodiscard]] bool in_transaction() const noexcept;
    void roll_back() noexcept; // also after SQLite did so itself
    [[nodiscard]] int changes() const noexcept { return sqlite3_changes(db_.get()); }
    [[nodiscard]] std::int64_t last_row() const noexcept {
        return sqlite3_last_insert_rowid(db_.get());
    }
    [[nodiscard]] sqlite3* handle() const noexcept { return db_.get(); }
    [[noreturn]] void fail(int code, const char* doing) const;

private:
    struct closer {
        void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
    };
    std::unique_ptr<sqlite3, closer> db_;
};

using blob = std::span<const std::uint8_t>;

// A prepared statement. What is bound must live until the run or the cursor ends. Empty text is stored as NULL, one byte.
class statement {
public:
    statement(connection& db, std::string_view sql);

    template <class... Values>
    void run(const Values&... values) {
        const reset_guard guard{*this};
        bind_all(values...);
        while (step()) {
        }
    }

    class cursor {
    public:
        explicit cursor(statement& s) : s_(&s) {}
        cursor(const cursor&) = delete;
        cursor& operator=(const cursor&) = delete;
        ~cursor() { s_->reset(); }

        [[nodiscard]] bool next() { return s_->step(); }
        [[nodiscard]] std::int64_t integer(int column) const;
        [[nodiscard]] std::string_view text(int column) const;
        [[nodiscard]] std::string string(int column) const { return std::string{text(column)}; }
        [[nodiscard]] sqlite::blob blob(int column) const;
        [[nodiscard]] bool is_null(int column) const;

    private:
        statement* s_;
    };

    template <class... Values>
    [[nodiscard]] cursor query(const Values&... values) {
        bind_all(values...);
        return cursor{*this};
    }

private:
    struct reset_guard {
        statement& s;
        ~reset_guard() { s.reset(); }
    };
    struct finalizer {
        void operator()(sqlite3_stmt* s) const noexcept { sqlite3_finalize(s); }
    };

    template <class... Values>
    void bind_all(const Values&... values) {
        int index = 0;
        (bind(++index, values), ...);
    }
    void bind(int index, std::string_view text);
    void bind(int index, sqlite::blob bytes);
    void bind(int index, const std::optional<std::int64_t>& value);
    void bind_integer(int index, std::int64_t value);
    template <std::integral Integer>
    void bind(int index, Integer value) {
        bind_integer(index, static_cast<std::int64_t>(value));
    }
    bool step();
    void reset() noexcept { sqlite3_reset(statement_.get()); }
    void check(int code) const;

    connection* db_;
    std::unique_ptr<sqlite3_stmt, finalizer> statement_;
};

// Takes the write lock at once; without commit() everything is undone.
class transaction {
public:
    explicit transaction(connection& db) : db_(db) { db_.execute("BEGIN IMMEDIATE"); }
    transaction(const transaction&) = delete;
    transaction& operator=(const transaction&) = delete;
    ~transaction() {
        if (!done_) db_.roll_back();
    }
    void commit() {
        db_.execute("COMMIT");
        done_ = true;
    }

private:
    connection& db_;
    bool done_ = false;
};

} // namespace sluice::embedded::sqlite
