/// A hash over state, to compare two instances that should be equal.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <string_view>

namespace tune {

/// Collects state, in a fixed order, into 64 bits. Floats count by their bits.
class fingerprint {
public:
  fingerprint& add(std::uint64_t x);
  fingerprint& add(double x);
  fingerprint& add(std::string_view x);
  fingerprint& add(const value& x);
  fingerprint& add(const object& x);
  fingerprint& add(trial_id x) { return add(x.number); }
  fingerprint& add(attempt_id x) { return add(std::uint64_t{x.epoch}).add(x.counter); }
  fingerprint& add(checkpoint_id x) { return add(x.number); }

  [[nodiscard]] std::uint64_t digest() const { return state_; }

private:
  std::uint64_t state_ = 14695981039346656037ull;
};

} // namespace tune
