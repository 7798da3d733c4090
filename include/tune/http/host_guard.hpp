/// Keeps out web pages of others: which Host, Origin and Sec-Fetch-Site a request may have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/http/messages.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tune::http {

/// A browser on this machine runs pages of strangers, and reaches what listens at loopback
/// addresses. What it says of the page that asks is checked here, for every request.
class host_guard {
public:
  /// @param names Names and addresses by which this server is known, besides those of the loopback
  ///              interface, with a port ("head:7780") or without ("head", at any port).
  explicit host_guard(std::vector<std::string> names = {});

  /// Whether a request may name this host. Names of the loopback interface may have any port: the
  /// near end of a tunnel has one of its own.
  [[nodiscard]] bool knows(std::string_view host) const;

  /// Checks Host, Origin and Sec-Fetch-Site.
  /// @param changes Whether the request may change or tell something, and so must not come from
  ///                another site's page, not even by a link.
  /// @errors `ec::refused`.
  [[nodiscard]] expected<void> check(const header_list& headers, bool changes) const;

private:
  std::vector<std::string> names_;
};

/// Whether the text is a host of the Host header: a name or address, with a port or without.
[[nodiscard]] bool is_host_text(std::string_view text);

} // namespace tune::http
