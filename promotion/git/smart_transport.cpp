#include "promotion/git/smart_transport.hpp"

#include <git2/errors.h>

#include <algorithm>
#include <cstring>

// libgit2 calls these from C: nothing may throw through them, and each object begins with the struct it knows.
namespace sluice::promotion::git {
namespace {

int give_up(smart_transport& t, error e) noexcept {
    git_error_set_str(GIT_ERROR_NET, e.message.c_str());
    t.failure = std::move(e);
    return -1;
}

struct stream : git_smart_subtransport_stream {
    smart_transport& transport;
    std::string request;
    std::unique_ptr<http_reply> reply;
    std::string piece; // received and not yet read
    std::size_t at = 0;
    bool listing;

    stream(git_smart_subtransport* owner, smart_transport& t, bool lists)
        : git_smart_subtransport_stream{}, transport(t), listing(lists) {
        subtransport = owner;
        git_smart_subtransport_stream::read = &stream::read_bytes;
        git_smart_subtransport_stream::write = &stream::write_bytes;
        git_smart_subtransport_stream::free = [](git_smart_subtransport_stream* s) {
            delete static_cast<stream*>(s);
        };
        if (listing) piece = t.advertisement;
    }

    int fill() {
        if (listing) return 0;
        if (transport.session.out_of_time())
            return give_up(
                transport,
                {errc::timed_out, transport.session.name() + ": the fetch took longer than allowed"}
            );
        if (!reply) {
            auto opened = transport.session.open(service::upload_pack, std::move(request));
            if (!opened) return give_up(transport, opened.error());
            reply = std::move(*opened);
        }
        auto next = reply->read();
        if (!next) return give_up(transport, next.error());
        piece = std::move(*next);
        at = 0;
        return 0;
    }

    static int
    read_bytes(git_smart_subtransport_stream* s, char* buffer, size_t size, size_t* bytes_read) {
        auto& self = *static_cast<stream*>(s);
        *bytes_read = 0;
        try {
            if (self.at == self.piece.size())
                if (int code = self.fill()) return code;
        } catch (const std::exception& e) {
            return give_up(self.transport, {errc::unavailable, e.what()});
        }
        const auto n = std::min(size, self.piece.size() - self.at);
        std::memcpy(buffer, self.piece.data() + self.at, n);
        self.at += n;
        *bytes_read = n;
        return 0;
    }

    static int write_bytes(git_smart_subtransport_stream* s, const char* bytes, size_t size) {
        auto& self = *static_cast<stream*>(s);
        try {
            self.request.append(bytes, size);
        } catch (const std::exception& e) {
            return give_up(self.transport, {errc::unavailable, e.what()});
        }
        return 0;
    }
};

struct subtransport : git_smart_subtransport {
    smart_transport& transport;

    explicit subtransport(smart_transport& t) : git_smart_subtransport{}, transport(t) {
        action = &subtransport::begin;
        close = [](git_smart_subtransport*) { return 0; };
        git_smart_subtransport::free = [](git_smart_subtransport* s) {
            delete static_cast<subtransport*>(s);
        };
    }

    static int begin(
        git_smart_subtransport_stream** out,
        git_smart_subtransport* s,
        const char* /*url*/,
        git_smart_service_t what
    ) {
        auto& self = *static_cast<subtransport*>(s);
        if (what != GIT_SERVICE_UPLOADPACK_LS && what != GIT_SERVICE_UPLOADPACK)
            return give_up(self.transport, {errc::internal, "only fetches go through libgit2"});
        *out = new (std::nothrow) stream{s, self.transport, what == GIT_SERVICE_UPLOADPACK_LS};
        return *out != nullptr ? 0 : -1;
    }
};

} // namespace

int smart_transport::make(git_transport** out, git_remote* owner, void* self) {
    git_smart_subtransport_definition definition{};
    definition.rpc = 1; // each request stands alone
    definition.param = self;
    definition.callback = [](git_smart_subtransport** made, git_transport*, void* param) {
        *made = new (std::nothrow) subtransport{*static_cast<smart_transport*>(param)};
        return *made != nullptr ? 0 : -1;
    };
    return git_transport_smart(out, owner, &definition);
}

} // namespace sluice::promotion::git
