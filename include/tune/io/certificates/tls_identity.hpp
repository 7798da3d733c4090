/// What a node shows to its peers, and by which it knows them: certificate, key, CA.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/certificates/certificate.hpp"

#include <filesystem>

namespace tune {

/// The three files that a node needs; PEM.
struct tls_files {
  std::filesystem::path certificate;
  std::filesystem::path key;
  /// The cluster's CA; the only one that is trusted.
  std::filesystem::path authority;
};

/// An identity that was found to be in order.
struct tls_identity {
  tls_files files;
  certificate_facts certificate;
  /// Its fingerprint identifies the cluster.
  certificate_facts authority;
};

/// Checks the three files before anything is bound or joined: they are there and readable, the key
/// is nobody else's to read and belongs to the certificate, the CA signed it for both ends of a
/// connection, and both certificates are valid at `now`.
///
/// @errors `ec::refused`, always: one line with file and cause, and the commands that mend it.
[[nodiscard]] expected<tls_identity> load_identity(const tls_files& files,
                                                   calendar_time now = calendar_now());

/// The same for `node.pem`, `node.key` and `ca.pem` in a directory.
[[nodiscard]] expected<tls_identity> load_identity(const std::filesystem::path& directory,
                                                   calendar_time now = calendar_now());

} // namespace tune
