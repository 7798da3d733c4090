/// Seals: by them a head knows the attempts again that it launched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/wire.hpp"

#include <string>

namespace tune {

/// A secret that nobody guesses; one per head.
[[nodiscard]] std::string fresh_secret();

/// A number that nobody guesses. [0 .. 2^63)
[[nodiscard]] std::uint64_t fresh_number();

/// What only who knows `secret` can make of a claim, its own seal apart. Empty for an empty secret.
///
/// A node that was given a launch has its seal, and so can act for that attempt and for no other.
[[nodiscard]] std::string seal_of(const std::string& secret, const attempt_claim& who);

/// Whether the claim bears the seal of this secret; never for an empty one.
[[nodiscard]] bool is_sealed(const std::string& secret, const attempt_claim& who);

} // namespace tune
