/// X.509 certificates as values: making, signing and reading them. All of it is PEM text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A moment of the calendar, in UTC.
using calendar_time = std::chrono::sys_seconds;

/// When a certificate counts: from the first to the last moment.
struct validity_span {
  calendar_time from;
  calendar_time until;

  friend bool operator==(const validity_span&, const validity_span&) = default;
};

/// A certificate and its private key. Whoever reads the key can pass for its owner.
struct key_pair {
  std::string certificate;
  std::string key;
};

/// What a node's certificate is to say.
struct node_names {
  /// As `is_node_name` allows.
  std::string name;
  /// Further names and addresses (IPv4, IPv6) of the node.
  std::vector<std::string> hosts;
};

/// What stands in a certificate.
struct certificate_facts {
  /// "CN=w1, O=tune-node", as RFC 2253 writes it but in the order of the certificate.
  std::string subject;
  std::string issuer;
  /// The subject's common name; empty where there is none.
  std::string name;
  /// Names and addresses it was issued for.
  std::vector<std::string> hosts;
  /// Lower-case hexadecimal digits.
  std::string serial;
  validity_span valid;
  /// SHA-256 of the whole certificate: 64 lower-case hexadecimal digits.
  std::string fingerprint;
  /// It may sign others.
  bool is_authority = false;
};

/// Tells whether a node may be called so: 1 to 64 letters, digits, dots, dashes and underscores of
/// ASCII, the first one a letter or digit.
[[nodiscard]] bool is_node_name(std::string_view name);

/// The same for a cluster, but at most 40.
[[nodiscard]] bool is_cluster_name(std::string_view name);

/// Tells whether `host` is a host name or an IPv4 or IPv6 address.
[[nodiscard]] bool is_host_or_address(std::string_view host);

/// Makes a certificate authority: an EC key on P-256 and a certificate that it signed itself, good
/// for signing nodes and nothing else. Its subject holds the cluster's name and a random part, so
/// that no two authorities are called the same.
///
/// @errors `ec::bad_option` for a wrong name; `ec::internal` where OpenSSL fails.
[[nodiscard]] expected<key_pair> make_authority(const std::string& cluster, validity_span valid);

/// Makes a node's key (EC, P-256) and has the authority sign its certificate, for both ends of a
/// connection.
///
/// @errors `ec::bad_option` for a wrong name or host; `ec::refused` where `authority` is no
///         authority's certificate with its key; `ec::internal` where OpenSSL fails.
[[nodiscard]] expected<key_pair> issue_certificate(const key_pair& authority,
                                                   const node_names& whom, validity_span valid);

/// Reads the first certificate of a PEM text.
/// @errors `ec::refused` where there is none.
[[nodiscard]] expected<certificate_facts> read_certificate(std::string_view pem);

/// Tells whether `key` is the private key of `certificate`; false where one of them is unreadable.
[[nodiscard]] bool key_fits(std::string_view certificate, std::string_view key);

/// Tells whether the key of `authority` signed `certificate`, whatever the dates; false where one
/// of them is unreadable.
[[nodiscard]] bool is_signed_by(std::string_view certificate, std::string_view authority);

/// "2030-01-31 12:00:00 UTC".
[[nodiscard]] std::string date_text(calendar_time when);

/// What the wall clock says.
[[nodiscard]] calendar_time calendar_now();

} // namespace tune
