#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sluice::promotion::forge {

// Answers by URL that the forge may say have not changed. Holds so many bytes of them; the longest unused go first.
class etag_cache {
public:
    explicit etag_cache(std::size_t bytes) : room_(bytes) {}

    struct entry {
        std::string url;
        std::string etag;
        std::string body;
    };
    // Null when there is none. Valid until the next call.
    [[nodiscard]] const entry* find(std::string_view url);
    void keep(entry e);
    void drop(std::string_view url);

private:
    using order = std::list<entry>; // last used first

    std::size_t room_;
    std::size_t used_ = 0;
    order entries_;
    std::unordered_map<std::string_view, order::iterator> by_url_; // keys live in the entries
};

} // namespace sluice::promotion::forge
