#include "promotion/git/marker_file.hpp"

#include "auth/digest.hpp"
#include "base/files.hpp"
#include "base/unique_fd.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <optional>

namespace sluice::promotion::git {
namespace {

// The rules by which markers are found are part of what an entry says: a new rule needs a new name here.
constexpr std::string_view rules = "sluice markers 1";
constexpr std::size_t largest_file = std::size_t{64} << 20U;
constexpr std::size_t digest_bytes = 8;
constexpr std::size_t smallest_record = sizeof(git_oid) + 7;
constexpr std::size_t head_bytes = sizeof(std::uint32_t) + digest_bytes;

// Numbers are in the order of this machine: the file never leaves it.
template <class T>
void put(std::string& out, T value) {
    std::array<char, sizeof(T)> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    out.append(bytes.data(), bytes.size());
}

void put_text(std::string& out, std::string_view text) {
    put(out, static_cast<std::uint32_t>(text.size()));
    out += text;
}

std::array<char, digest_bytes> digest_of(std::string_view payload) {
    const std::array<std::string_view, 2> parts{rules, payload};
    const auto whole = auth::sha256(parts);
    std::array<char, digest_bytes> out{};
    std::memcpy(out.data(), whole.data(), out.size());
    return out;
}

// A digest stands before these bytes, so only a bug makes them end too early; then the rest reads as zeros.
class reader {
public:
    explicit reader(std::string_view bytes) : rest_(bytes) {}

    template <class T>
    T number() {
        T out{};
        const auto bytes = take(sizeof out);
        if (bytes.size() == sizeof out) std::memcpy(&out, bytes.data(), sizeof out);
        return out;
    }
    std::string_view text() { return take(number<std::uint32_t>()); }
    std::string_view take(std::size_t n) {
        const auto out = rest_.substr(0, n);
        rest_.remove_prefix(out.size());
        return out;
    }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

std::vector<std::string> texts(reader& in) {
    std::vector<std::string> out;
    for (auto n = in.number<std::uint32_t>(); n > 0 && !in.at_end(); --n)
        out.emplace_back(in.text());
    return out;
}

void read_frame(std::string_view payload, const marker_reader& to) {
    reader in{payload};
    std::vector<std::string_view> keys;
    for (auto n = in.number<std::uint32_t>(); n > 0 && !in.at_end(); --n) keys.push_back(in.text());
    to.begin_frame(keys, payload.size() / smallest_record);
    while (!in.at_end()) {
        marker_record record;
        const auto id = in.take(sizeof record.id.id);
        std::memcpy(record.id.id, id.data(), id.size());
        record.many = in.number<std::uint8_t>() != 0;
        record.remarkable = in.number<std::uint8_t>() != 0;
        for (auto n = in.number<std::uint32_t>(); n > 0 && !in.at_end(); --n)
            if (const auto key = in.number<std::uint32_t>(); key < keys.size())
                record.keys.push_back(key);
        const bool more = in.number<std::uint8_t>() != 0;
        if (more) record.remarks.unreadable = texts(in);
        if (more) record.remarks.strays = texts(in);
        to.record(std::move(record));
    }
}

// The payload of the frame at the beginning of `bytes`, if it is whole.
std::optional<std::string_view> first_frame(std::string_view bytes) {
    reader in{bytes};
    const auto size = in.number<std::uint32_t>();
    const auto digest = in.take(digest_bytes);
    const auto payload = in.take(size);
    if (size == 0 || payload.size() != size) return std::nullopt;
    const auto right = digest_of(payload);
    if (digest != std::string_view{right.data(), right.size()}) return std::nullopt;
    return payload;
}

} // namespace

std::uint32_t marker_frame::place_of(std::string_view key) {
    const auto [at, is_new] = numbers_.emplace(key, count_);
    if (is_new) {
        put_text(keys_, key);
        ++count_;
    }
    return at->second;
}

void marker_frame::add(const marker_record& record) {
    records_.append(reinterpret_cast<const char*>(record.id.id), sizeof record.id.id);
    put<std::uint8_t>(records_, record.many ? 1 : 0);
    put<std::uint8_t>(records_, record.remarkable ? 1 : 0);
    put(records_, static_cast<std::uint32_t>(record.keys.size()));
    for (const auto key : record.keys) put(records_, key);
    const auto& [unreadable, strays] = record.remarks;
    const bool more = !unreadable.empty() || !strays.empty();
    put<std::uint8_t>(records_, more ? 1 : 0);
    if (!more) return;
    for (const auto* list : {&unreadable, &strays}) {
        put(records_, static_cast<std::uint32_t>(list->size()));
        for (const auto& text : *list) put_text(records_, text);
    }
}

void marker_frame::append_to(const std::filesystem::path& file) const {
    std::string payload;
    put(payload, count_);
    payload += keys_;
    payload += records_;
    std::string frame;
    put(frame, static_cast<std::uint32_t>(payload.size()));
    const auto digest = digest_of(payload);
    frame.append(digest.data(), digest.size());
    frame += payload;

    const unique_fd fd{::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
    struct ::stat before{};
    if (!fd || ::fstat(fd.get(), &before) != 0) return;
    const auto written = ::write(fd.get(), frame.data(), frame.size());
    if (written == static_cast<ssize_t>(frame.size())) return;
    // If even this fails, the next reader sees a damaged frame and cuts it off.
    [[maybe_unused]] const int ignored = ::ftruncate(fd.get(), before.st_size);
}

void read_marker_file(const std::filesystem::path& file, const marker_reader& to) {
    std::error_code ignored;
    const auto bytes = read_file(file, largest_file);
    if (!bytes) {
        if (bytes.error().code == errc::payload_too_large) std::filesystem::remove(file, ignored);
        return;
    }
    std::string_view rest = *bytes;
    while (const auto payload = first_frame(rest)) {
        read_frame(*payload, to);
        rest.remove_prefix(head_bytes + payload->size());
    }
    if (!rest.empty()) std::filesystem::resize_file(file, bytes->size() - rest.size(), ignored);
}

} // namespace sluice::promotion::git
