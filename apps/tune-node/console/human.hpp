/// Durations, numbers and configurations as people like to read them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/constraints.hpp"
#include "tune/core/value.hpp"

#include <chrono>
#include <span>
#include <string>
#include <string_view>

namespace tune::cli {

/// "250ms", "3.4s", "2m05s", "1h02m", "3d04h"; two units at most. Negative durations are "0s".
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds x);

/// Five significant digits: "0.98123", "1.2e-05", "nan"; whole numbers in full up to 1e9.
[[nodiscard]] std::string number_text(double x);

/// A value in few characters: numbers by `number_text`, texts that could be misread in quotes.
/// Printable on a terminal.
[[nodiscard]] std::string short_text(const value& x);

/// Whether a constraint is missed by no more than that it is strict (`x < 1`) and the metric at its
/// limit: by the smallest number there is, or the mean of several runs by a few of these.
[[nodiscard]] bool is_at_limit(double violation);

/// By how much a constraint is missed: "by 0.5", or "at the limit".
[[nodiscard]] std::string miss_text(double x);

/// The constraints that metrics miss, each with by how much: "size <= 1 by 3, acc > 0.5 at the
/// limit"; empty: none. Printable on a terminal.
[[nodiscard]] std::string misses_text(const constraint_list& of, const object& metrics);

/// "lr=0.01 hidden=64".
/// @param whole Parameters whose values are whole: `model={"depth":3}`, not `model.depth=3`. See
///              `object_parameters`.
[[nodiscard]] std::string config_text(const object& x, std::span<const std::string> whole);

/// The same of metrics and other facts.
[[nodiscard]] std::string facts_text(const object& x);
/// Metrics by the names that options take: "acc=0.9 gpu/used=3".
[[nodiscard]] std::string metrics_text(const object& x);

/// A value as a constant of the `[space]` section: pasting it gives the same value again.
[[nodiscard]] std::string literal_text(const value& x);

/// "1 trial", "2 trials".
[[nodiscard]] std::string counted(std::uint64_t n, std::string_view noun);

} // namespace tune::cli
