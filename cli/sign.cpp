#include "auth/sign.hpp"

#include "cli/commands.hpp"

#include <fstream>
#include <iterator>
#include <memory>

namespace sluice::cli {
namespace {

struct sign_options {
    std::string key_file;
    std::string scheme = "flux";
    std::string method = "POST";
    std::string path;
};

int sign(const sign_options& o, console& c) {
    const auto scheme = auth::parse_scheme(o.scheme);
    if (!scheme) {
        c.err << "sluice sign: --scheme " << o.scheme
              << " is not one of flux, standard, github, bound\n";
        return wrong_usage;
    }
    if (*scheme == auth::scheme::bound && o.path.empty()) {
        c.err << "sluice sign: the scheme bound signs the path too; give --path /approval/…\n";
        return wrong_usage;
    }
    std::ifstream file{o.key_file, std::ios::binary};
    const secret_string key{std::string{std::istreambuf_iterator<char>{file}, {}}};
    if (!file.is_open() || file.bad() || key.empty()) {
        c.err << "sluice sign: " << o.key_file
              << " holds no key; name a readable file with --key-file\n";
        return failed;
    }
    const std::string body{std::istreambuf_iterator<char>{c.in}, {}};
    const auto id = auth::new_message_id();
    const auto headers = auth::sign(
        key,
        {.scheme = *scheme,
         .body = body,
         .now = system_clock{}.now(),
         .message_id = id,
         .method = o.method,
         .path = o.path}
    );
    if (!headers) {
        c.err << "sluice sign: " << headers.error().message << '\n';
        return failed;
    }
    for (const auto& h : *headers) c.out << h.name << ": " << h.value << '\n';
    return done;
}

} // namespace

void add_sign(CLI::App& app, command& chosen) {
    auto* sub =
        app.add_subcommand("sign", "Print the headers that sign the body read from standard input");
    const auto o = std::make_shared<sign_options>();
    sub->add_option("--key-file", o->key_file, "file that holds the key")->required();
    sub->add_option("--scheme", o->scheme, "flux, standard, github or bound")
        ->capture_default_str();
    sub->add_option("--method", o->method, "method of the request (bound)")->capture_default_str();
    sub->add_option("--path", o->path, "path of the request (bound)");
    sub->callback([o, &chosen] { chosen = [o](console& c) { return sign(*o, c); }; });
}

} // namespace sluice::cli
