/// Makes, signs and reads X.509 certificates as values. All texts are PEM.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A point in calendar time, in UTC.
using calendar_time = std::chrono::sys_seconds;

/// The period in which a certificate is valid, both ends included.
struct validity_span {
  calendar_time from;
  calendar_time until;

  friend bool operator==(const validity_span&, const validity_span&) = default;
};

/// A certificate and its private key. Anyone who can read the key can impersonate its owner.
struct key_pair {
  std::string certificate;
  std::string key;
};

/// The names to put into a node's certificate.
struct node_names {
  /// The node's name, valid per `is_node_name`.
  std::string name;
  /// Further names and addresses (IPv4, IPv6) of the node.
  std::vector<std::string> hosts;
};

/// The content of a certificate.
struct certificate_facts {
  /// Such as "CN=w1, O=tune-node": in the format of RFC 2253, but in the order of the certificate.
  std::string subject;
  std::string issuer;
  /// The subject's common name; empty if there is none.
  std::string name;
  /// Names and addresses that the certificate was issued for.
  std::vector<std::string> hosts;
  /// Lower-case hexadecimal digits.
  std::string serial;
  validity_span valid;
  /// SHA-256 of the whole certificate: 64 lower-case hexadecimal digits.
  std::string fingerprint;
  /// True if the certificate may sign others.
  bool is_authority = false;
};

/// Tells whether `name` is a valid node name: 1 to 64 ASCII letters, digits, dots, dashes and
/// underscores, the first one a letter or digit.
[[nodiscard]] bool is_node_name(std::string_view name);

/// Like `is_node_name`, for a cluster: at most 40 characters.
[[nodiscard]] bool is_cluster_name(std::string_view name);

/// Tells whether `host` is a host name or an IPv4 or IPv6 address.
[[nodiscard]] bool is_host_or_address(std::string_view host);

/// Makes a certificate authority: an EC key on P-256 and a self-signed certificate that can only be
/// used to sign nodes' certificates. Its subject holds the cluster's name and a random part, so
/// that no two authorities have the same name.
///
/// @errors `ec::bad_option` for an invalid name; `ec::internal` if OpenSSL fails.
[[nodiscard]] expected<key_pair> make_authority(const std::string& cluster, validity_span valid);

/// Makes a node's key (EC, P-256) and a certificate signed by the authority, usable at both ends of
/// a connection.
///
/// @errors `ec::bad_option` for an invalid name or host; `ec::refused` if `authority` is not an
///         authority's certificate with its key; `ec::internal` if OpenSSL fails.
[[nodiscard]] expected<key_pair> issue_certificate(const key_pair& authority,
                                                   const node_names& whom, validity_span valid);

/// A key, and the request for a certificate of it, both PEM.
struct certificate_request {
  std::string request;
  std::string key;
};

/// Makes a key (EC, P-256) and a request that proves that its maker has the key.
/// @errors as `make_authority`.
[[nodiscard]] expected<certificate_request> make_certificate_request(const std::string& name);

/// Checks that a request is for a key of the kind that nodes have, and that its maker has that key.
/// @errors `ec::refused`.
[[nodiscard]] expected<void> check_certificate_request(std::string_view request);

/// Like `issue_certificate`, for the key of a request, whose other words do not count.
/// @returns the certificate. @errors also `ec::refused` for an unfit request.
[[nodiscard]] expected<std::string> issue_for_request(const key_pair& authority,
                                                      std::string_view request,
                                                      const node_names& whom, validity_span valid);

/// Reads the first certificate of a PEM text.
/// @errors `ec::refused` if there is none.
[[nodiscard]] expected<certificate_facts> read_certificate(std::string_view pem);

/// Tells whether `key` is the private key of `certificate`; false if either is unreadable.
[[nodiscard]] bool key_fits(std::string_view certificate, std::string_view key);

/// Tells whether the key of `authority` signed `certificate`, regardless of the dates; false if
/// either is unreadable.
[[nodiscard]] bool is_signed_by(std::string_view certificate, std::string_view authority);

/// "2030-01-31 12:00:00 UTC".
[[nodiscard]] std::string date_text(calendar_time when);

/// The current time of the wall clock.
[[nodiscard]] calendar_time calendar_now();

} // namespace tune
