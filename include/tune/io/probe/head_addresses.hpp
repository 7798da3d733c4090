/// The addresses of a head, and of those that may take its place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/probe/peer_address.hpp"

#include <string>
#include <vector>

namespace tune {

/// At least one address; one of them leads at a time.
struct head_addresses {
  peer_address first;
  /// Tried in turn where the first does not answer.
  std::vector<peer_address> also = {};

  [[nodiscard]] std::vector<peer_address> all() const;

  friend bool operator==(const head_addresses&, const head_addresses&) = default;
};

/// "a:4242,b:4242".
[[nodiscard]] std::string to_text(const head_addresses& x);

/// Reads "HOST:PORT,HOST:PORT", eight at most. @errors `ec::bad_syntax`, naming what is wrong.
[[nodiscard]] expected<head_addresses> head_addresses_from(const std::string& text);

} // namespace tune
