/// The directory that holds a node's certificate and key, and on one machine the CA's key.
///
///     ca.pem    the cluster's CA               everywhere
///     ca.key    its key                        where certificates are issued, nowhere else
///     node.pem  this node's certificate        everywhere
///     node.key  its key, readable by its owner everywhere, each its own
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/certificates/certificate.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Where the files of a certificate directory lie.
struct certificate_paths {
  std::filesystem::path authority;
  std::filesystem::path authority_key;
  std::filesystem::path certificate;
  std::filesystem::path key;
};

[[nodiscard]] certificate_paths certificate_paths_in(const std::filesystem::path& directory);

/// `$TUNE_CERTS`, else `$XDG_CONFIG_HOME/tune-node/certs`, else `~/.config/tune-node/certs`.
[[nodiscard]] std::filesystem::path default_certificate_directory();

/// How long a CA lasts, and a node's certificate where nothing else is said.
inline constexpr std::chrono::days authority_lifetime{3653};
inline constexpr std::chrono::days node_lifetime{825};

/// A node's certificate to be issued.
struct certificate_order {
  node_names whom;
  /// Cut where the CA ends earlier. [>= 1 day]
  std::chrono::days lifetime = node_lifetime;
  /// Replaces the node's certificate and key; never the CA's.
  bool force = false;
  calendar_time now = calendar_now();
};

/// What `init_certificates` made; the rest was there.
struct init_outcome {
  bool made_authority = false;
  bool made_node = false;
};

/// Makes a CA and this machine's certificate, each where it is missing.
///
/// @param cluster Name of the cluster; empty: that of the node, or of the CA that is there.
/// @errors `ec::refused`, with nothing changed, where a file would have to be overwritten or the
///         CA in place is of no use; `ec::bad_option` for names; `ec::storage`.
[[nodiscard]] expected<init_outcome> init_certificates(const std::filesystem::path& directory,
                                                       const std::string& cluster,
                                                       const certificate_order& node);

/// Issues a certificate with the CA in `directory` and writes `ca.pem`, `node.pem` and `node.key`
/// into `out`, which may be the same directory.
///
/// @errors as above. A CA in `out` that is another one is refused, whatever `force` says.
[[nodiscard]] expected<void> issue_certificates(const std::filesystem::path& directory,
                                                const std::filesystem::path& out,
                                                const certificate_order& node);

/// How the key beside a certificate is.
enum class key_state : std::uint8_t {
  missing,
  fits,
  /// It belongs to another certificate, or cannot be understood.
  differs,
  /// It fits, but others may read or change it.
  exposed,
  unreadable,
};

/// "missing", "fits", …
[[nodiscard]] std::string_view to_text(key_state x);

/// A certificate with what lies beside it.
struct found_certificate {
  std::filesystem::path file;
  certificate_facts facts;
  /// Of the file with the same name that ends in `.key`.
  key_state key = key_state::missing;
  /// By `ca.pem` in the same directory; nothing: there is none.
  std::optional<bool> signed_by_authority;
};

/// Looks at one certificate, or at all of a certificate directory, CA first.
/// @errors `ec::storage` where nothing can be read; `ec::refused` where it is no certificate.
[[nodiscard]] expected<std::vector<found_certificate>>
find_certificates(const std::filesystem::path& where);

} // namespace tune
