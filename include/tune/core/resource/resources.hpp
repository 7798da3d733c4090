/// Amounts of CPU, GPU, memory and custom resources, and requests for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A quantity in ten-thousandths, so that fractions add up exactly. CPU 1 is 10000.
struct amount {
  std::int64_t units = 0;

  static constexpr std::int64_t scale = 10000;
  /// Rounds to the nearest ten-thousandth; values out of range are clamped, NaN becomes 0.
  [[nodiscard]] static amount of(double x);
  [[nodiscard]] double number() const { return static_cast<double>(units) / scale; }

  friend auto operator<=>(const amount&, const amount&) = default;
  friend amount operator+(amount x, amount y) { return {x.units + y.units}; }
  friend amount operator-(amount x, amount y) { return {x.units - y.units}; }
  amount& operator+=(amount x) { return *this = *this + x; }
  amount& operator-=(amount x) { return *this = *this - x; }
};

/// At most four decimals: "2", "0.5".
[[nodiscard]] std::string to_text(amount x);

/// A set of resources: the capacity of a node, or the request of a bundle.
struct resources {
  amount cpu;
  amount gpu;
  /// In bytes.
  std::uint64_t memory = 0;
  std::map<std::string, amount> custom;

  friend auto operator<=>(const resources&, const resources&) = default;
};

/// Distribution of trials over nodes: one node after another, or evenly.
enum class placement_policy : std::uint8_t { pack, spread };

/// The resources that one trial needs. Granted all or nothing; the first bundle is for the
/// trainable itself.
struct resource_request {
  /// Distribution of bundles over nodes.
  enum class strategy : std::uint8_t { pack, spread, strict_pack, strict_spread };

  std::vector<resources> bundles;
  strategy placement = strategy::pack;
  /// Decides where `placement` leaves a choice; the same for all trials.
  placement_policy policy = placement_policy::pack;

  friend auto operator<=>(const resource_request&, const resource_request&) = default;
};

/// "1 CPU, 0.5 GPU, 2 GiB memory, 1 licence"; "nothing" for the empty set.
[[nodiscard]] std::string to_text(const resources& x);
/// "1 CPU", or with several bundles "2 x (1 CPU) + 1 x (4 CPU, 1 GPU), strict_pack".
[[nodiscard]] std::string to_text(const resource_request& x);
/// "pack", "spread", "strict_pack", "strict_spread".
[[nodiscard]] std::string_view to_text(resource_request::strategy x);

/// Adds dimension by dimension.
resources& operator+=(resources& x, const resources& y);
/// Subtracts; memory does not fall below 0, and a custom resource that becomes 0 is removed.
resources& operator-=(resources& x, const resources& y);

/// Bytes of "2GiB", "512MB", "1e9", "100k": decimal (k, kB, MB, GB, TB, PB) and binary (Ki, KiB, …)
/// units in any case; fractions of a byte are rounded.
/// @errors `ec::bad_syntax`.
[[nodiscard]] expected<std::uint64_t> parse_bytes(std::string_view text);
/// "2 GiB", "1.5 KiB", "17 B"; "10 TB" if decimal units show the amount exactly.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

} // namespace tune
