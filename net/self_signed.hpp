#pragma once

#include "base/result.hpp"
#include "net/tls_context.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace sluice::net {

// The certificate of a first start: FOLDER/tls.crt and FOLDER/tls.key (mode 0600), ECDSA P-256, good for ten years, for
// 127.0.0.1, ::1, localhost, this machine's name and `hosts`. It is its own CA, so clients trust it by naming it as
// their ca.crt. Files that are there are used as they are.
[[nodiscard]] result<tls_files>
self_signed_files(const std::filesystem::path& folder, const std::vector<std::string>& hosts);

} // namespace sluice::net
