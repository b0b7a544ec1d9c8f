#pragma once

#include "embedded/record_loader.hpp"
#include "embedded/sqlite.hpp"
#include "embedded/touched_promotions.hpp"
#include "home/ledger.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace sluice::embedded {

// Reads a ledger beside its server or without one. It takes no lock on the state folder and changes nothing. One thread at a time.
class ledger_reader {
public:
    // errc::not_found when there is no ledger yet.
    [[nodiscard]] static result<std::unique_ptr<ledger_reader>>
    open(const std::filesystem::path& database, const std::string& vfs = {});

    [[nodiscard]] result<std::vector<pipeline::promotion>> list(const home::promotion_filter& filter
    );
    // `touched`: what a writer in this process opened or moved. Always the same one.
    [[nodiscard]] result<std::vector<pipeline::promotion>> live(touched_promotions& touched);
    [[nodiscard]] result<home::promotion_details> show(const std::string& id);
    [[nodiscard]] result<pipeline::pipeline_records> records(const pipeline::object_name& pipeline);

private:
    explicit ledger_reader(sqlite::connection db);
    template <class Query>
    [[nodiscard]] auto snapshot(Query query) -> decltype(query());

    void look_at_all();
    void read_touched();

    std::set<std::int64_t> unread_; // the places of those touched since they were read
    std::map<std::int64_t, pipeline::promotion> alive_;
    bool looked_at_all_ = false;
    sqlite::connection db_;
    record_loader loader_;
    sqlite::statement list_all_;
    sqlite::statement list_pipeline_;
    sqlite::statement all_;
    sqlite::statement at_;
    sqlite::statement cancelled_;
    sqlite::statement show_;
    sqlite::statement history_;
};

} // namespace sluice::embedded
