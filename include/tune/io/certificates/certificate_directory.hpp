/// The directory that holds a node's certificate and key; on one machine, it also holds the CA's
/// key.
///
///     revoked   certificates that count no more; see revocation_list.hpp
///     tokens/   join tokens, where the CA's key is; see join_token.hpp
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
#include <string_view>
#include <vector>

namespace tune {

/// Paths of the files of a certificate directory.
struct certificate_paths {
  std::filesystem::path authority;
  std::filesystem::path authority_key;
  std::filesystem::path certificate;
  std::filesystem::path key;
};

[[nodiscard]] certificate_paths certificate_paths_in(const std::filesystem::path& directory);

/// `$TUNE_CERTS`, else `$XDG_CONFIG_HOME/tune-node/certs`, else `~/.config/tune-node/certs`.
[[nodiscard]] std::filesystem::path default_certificate_directory();

/// Lifetime of a CA, and the default lifetime of a node's certificate.
inline constexpr std::chrono::days authority_lifetime{3653};
inline constexpr std::chrono::days node_lifetime{825};

/// Parameters of a node's certificate to be issued.
struct certificate_order {
  node_names whom;
  /// Shortened if the CA expires earlier. [>= 1 day]
  std::chrono::days lifetime = node_lifetime;
  /// Replaces an existing certificate and key of the node; never those of the CA.
  bool force = false;
  calendar_time now = calendar_now();
};

/// The parts that `init_certificates` made; the others existed already.
struct init_outcome {
  bool made_authority = false;
  bool made_node = false;
};

/// Makes a CA and this machine's certificate, each only if it is missing.
///
/// @param cluster Name of the cluster; empty: the name of the node, or that of the existing CA.
/// @errors `ec::refused`, with nothing changed, if a file would have to be overwritten or the
///         existing CA is unusable; `ec::bad_option` for invalid names; `ec::storage`.
[[nodiscard]] expected<init_outcome> init_certificates(const std::filesystem::path& directory,
                                                       const std::string& cluster,
                                                       const certificate_order& node);

/// Issues a certificate with the CA in `directory` and writes `ca.pem`, `node.pem` and `node.key`
/// into `out`, which may be the same directory.
///
/// @errors as `init_certificates`. A different CA in `out` is refused, regardless of `force`.
[[nodiscard]] expected<void> issue_certificates(const std::filesystem::path& directory,
                                                const std::filesystem::path& out,
                                                const certificate_order& node);

/// Replaces the node's certificate and key in `out` by new ones with the same names.
///
/// @param lifetime Shortened if the CA expires earlier. [>= 1 day]
/// @errors as `issue_certificates`; `ec::refused` if there is no certificate of this CA in `out`.
[[nodiscard]] expected<void> rotate_certificates(const std::filesystem::path& directory,
                                                 const std::filesystem::path& out,
                                                 std::chrono::days lifetime, calendar_time now);

/// A certificate, and that of the CA that signed it; both PEM.
struct signed_request {
  std::string certificate;
  std::string authority;
};

/// Signs a request with the CA in `directory`.
/// @errors as `issue_certificates` and `issue_for_request`.
[[nodiscard]] expected<signed_request> sign_request(const std::filesystem::path& directory,
                                                    std::string_view request,
                                                    const certificate_order& node);

/// Whether the directory holds a CA with its key. @returns the CA. @errors as
/// `issue_certificates`.
[[nodiscard]] expected<certificate_facts> can_sign(const std::filesystem::path& directory,
                                                   calendar_time now);

/// Writes a node's certificate and key, and the CA, into a directory that has none of them.
/// @errors `ec::refused` if it has one of them; `ec::storage`.
[[nodiscard]] expected<void> keep_certificates(const std::filesystem::path& directory,
                                               const key_pair& node, const std::string& authority);

/// State of the key file next to a certificate.
enum class key_state : std::uint8_t {
  missing,
  fits,
  /// The key belongs to another certificate, or cannot be parsed.
  differs,
  /// The key fits, but other users may read or change it.
  exposed,
  unreadable,
};

/// "missing", "fits", …
[[nodiscard]] std::string_view to_text(key_state x);

/// A certificate, and the state of the files next to it.
struct found_certificate {
  std::filesystem::path file;
  certificate_facts facts;
  /// State of the file that has the same name with the ending `.key`.
  key_state key = key_state::missing;
  /// True if `ca.pem` in the same directory signed the certificate; empty if there is no `ca.pem`.
  std::optional<bool> signed_by_authority;
};

/// Examines one certificate, or all certificates of a certificate directory, the CA first.
/// @errors `ec::storage` if nothing can be read; `ec::refused` if the file is not a certificate.
[[nodiscard]] expected<std::vector<found_certificate>>
find_certificates(const std::filesystem::path& where);

} // namespace tune
