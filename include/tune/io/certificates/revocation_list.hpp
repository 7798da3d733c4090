/// Certificates that count no more, although the cluster's CA signed them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/certificates/certificate.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tune {

/// A list of revoked certificates; its text has one line for each entry:
///
///     name w1 2026-11-27T00:12:03Z     all certificates of w1 that were valid at this time or
///     before sha256 0f3a…                     the certificate with this fingerprint
///
/// Empty lines, and those that begin with '#', count for nothing.
class revocation_list {
public:
  /// @errors `ec::bad_syntax`, naming the line.
  [[nodiscard]] static expected<revocation_list> parse(std::string_view text);

  /// Revokes all certificates of a node whose validity began at `when` or before.
  /// @param name Valid per `is_node_name`.
  void add_name(const std::string& name, calendar_time when);
  /// @param fingerprint 64 lower-case hexadecimal digits.
  void add_fingerprint(const std::string& fingerprint) { fingerprints_.insert(fingerprint); }

  /// Whether it lists the certificate, by its fingerprint, its name, or the name that its node
  /// asked for when it came with a token.
  [[nodiscard]] bool has(const certificate_facts& x) const;
  /// The time up to which certificates of this name are revoked; empty: none is.
  [[nodiscard]] std::optional<calendar_time> revoked_until(const std::string& name) const;
  [[nodiscard]] std::size_t size() const { return names_.size() + fingerprints_.size(); }
  [[nodiscard]] std::string text() const;

  friend bool operator==(const revocation_list&, const revocation_list&) = default;

private:
  std::map<std::string, calendar_time> names_;
  std::set<std::string> fingerprints_;
};

/// Hexadecimal digits at the end of a name that a token gave.
inline constexpr std::size_t token_ending_digits = 8;

/// The name that a node asked for when it came with a token: `w5` of `w5-aa0d0d69`. Other names as
/// they are.
[[nodiscard]] std::string name_asked_for(const std::string& name);

/// The file with the list of a certificate directory.
[[nodiscard]] std::filesystem::path revocation_file_in(const std::filesystem::path& directory);

/// Reads a list. A file that is not there is an empty one.
/// @errors `ec::refused`, naming the file and what is wrong with it.
[[nodiscard]] expected<revocation_list> load_revocations(const std::filesystem::path& file);

/// Adds to the list of a certificate directory: a node's name, with all certificates that it has up
/// to now, or a certificate's file, with that certificate alone.
/// @errors `ec::refused`: it is the directory's own certificate, or the list is damaged;
///         `ec::bad_option`: neither file nor name; `ec::unreadable`: no such file; `ec::storage`.
[[nodiscard]] expected<void> revoke_certificate(const std::filesystem::path& directory,
                                                const std::string& what, calendar_time now);

} // namespace tune
