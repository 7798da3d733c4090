/// Launch tokens: keyed hashes by which a head recognises the attempts that it launched. They prove
/// and do not count: `node_plan` sees to it that an attempt is launched once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/wire.hpp"

#include <string>

namespace tune {

/// A secret that nobody can predict; one per head.
[[nodiscard]] std::string fresh_secret();

/// A number that nobody can predict. [0 .. 2^63)
[[nodiscard]] std::uint64_t fresh_number();

/// The launch token of a claim: an HMAC-SHA-256 of its fields except `rank` and `launch_token`,
/// which nobody can make without `secret`. Empty for an empty secret.
///
/// A node that was given a launch order has its launch token, and so can act for that attempt and
/// for no other.
[[nodiscard]] std::string launch_token_of(const std::string& secret, const attempt_claim& who);

/// Whether the claim bears the launch token of this secret; never for an empty one.
[[nodiscard]] bool has_launch_token(const std::string& secret, const attempt_claim& who);

} // namespace tune
