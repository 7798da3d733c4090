/// The certificate and key that this node presents to its peers, and the CA by which it verifies
/// theirs. The identity of a peer comes of its connection: see tls_session.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/certificates/certificate.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace tune {

/// The three PEM files that a node needs.
struct tls_files {
  std::filesystem::path certificate;
  std::filesystem::path key;
  /// The cluster's CA, the only CA that is trusted.
  std::filesystem::path authority;
};

/// The certificate that this node presents, verified.
struct own_certificate {
  tls_files files;
  certificate_facts certificate;
  /// The CA; its fingerprint identifies the cluster.
  certificate_facts authority;
};

/// Checks the three files before anything is bound or joined: they exist and are readable, the key
/// is accessible to its owner only and belongs to the certificate, the CA signed the certificate
/// for both ends of a connection, and both certificates are valid at `now`.
///
/// @errors always `ec::refused`: one line with the file, the cause and the commands that fix it.
[[nodiscard]] expected<own_certificate> load_own_certificate(const tls_files& files,
                                                             calendar_time now = calendar_now());

/// Like the overload above, for `node.pem`, `node.key` and `ca.pem` in a directory.
[[nodiscard]] expected<own_certificate> load_own_certificate(const std::filesystem::path& directory,
                                                             calendar_time now = calendar_now());

/// Time before its end from which on a certificate is warned of.
inline constexpr std::chrono::days expiry_notice{30};

/// One line with file, date and remedy if the certificate, or the CA, expires within
/// `expiry_notice` of `now`; else empty.
[[nodiscard]] std::string expiry_warning(const own_certificate& x, calendar_time now);

} // namespace tune
