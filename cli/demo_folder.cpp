#include "cli/demo_folder.hpp"

#include "auth/random.hpp"
#include "base/bytes.hpp"
#include "cli/demo_repository.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <fstream>
#include <utility>

namespace sluice::cli {
namespace {

namespace fs = std::filesystem;

std::string pipeline(const fs::path& repository) {
    return fmt::format(
        R"(apiVersion: pipelines.weave.works/v1alpha1
kind: Pipeline
metadata:
  name: podinfo
  namespace: default
spec:
  appRef:
    apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    name: podinfo
  environments:
  - name: dev
    secretRef: {{name: dev-events}}
    targets: [{{namespace: podinfo-dev}}]
  - name: staging
    secretRef: {{name: staging-events}}
    targets: [{{namespace: podinfo-staging}}]
  - name: prod
    secretRef: {{name: prod-events}}
    targets: [{{namespace: podinfo-prod}}]
    promotion:
      manual: true
      strategy:
        pull-request: {{type: git, url: "file://{0}", baseBranch: main}}
  promotion:
    strategy:
      pull-request: {{type: git, url: "file://{0}", baseBranch: main}}
)",
        repository.string()
    );
}

outcome write(const fs::path& file, const std::string& text) {
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    std::ofstream out{file, std::ios::binary | std::ios::trunc};
    out << text;
    out.close();
    if (!failed) fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write, failed);
    if (out && !failed) return {};
    return error{errc::unavailable, file.string() + ": cannot be written"};
}

} // namespace

result<demo_folder> demo_folder::make() {
    auto pattern = (fs::temp_directory_path() / "sluice-demo-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        return error{errc::unavailable, "no temporary folder can be made; set TMPDIR to one"};
    demo_folder made{pattern};
    if (const auto filled = made.fill(); !filled) return filled.error();
    return made;
}

outcome demo_folder::fill() const {
    if (auto made = make_demo_repository(repository(), demo_first_version); !made) return made;
    if (auto made = write(pipelines() / "podinfo.yaml", pipeline(repository())); !made) return made;
    for (const auto* environment : {"dev", "staging", "prod"}) {
        const auto bytes = auth::random_bytes(32);
        const auto key = to_base64(bytes);
        if (auto made = write(key_of(environment), key); !made) return made;
    }
    return {};
}

fs::path demo_folder::key_of(const std::string& environment) const {
    return secrets() / "default" / (environment + "-events") / "hmac-key";
}

demo_folder::demo_folder(demo_folder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

demo_folder::~demo_folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

} // namespace sluice::cli
