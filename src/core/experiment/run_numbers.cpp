// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/run_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace tune {

namespace {

/// Larger numbers are ignored: counting never reaches them, and adding to them might overflow.
constexpr std::int64_t highest = std::int64_t{1} << 53;

std::optional<std::int64_t> number_of(const value& written) {
  auto real = written.as_bool() == nullptr ? written.number() : std::nullopt;
  if (!real || !(*real >= 0) || *real > static_cast<double>(highest) || std::floor(*real) != *real)
    return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

} // namespace

void run_numbers::take(const object& config) {
  const auto* written = config.find(parameter_);
  auto number = written == nullptr ? std::nullopt : number_of(*written);
  if (!number)
    return;
  auto& next = next_[run_key(config, parameter_)];
  next = std::max(next, *number + 1);
}

std::int64_t run_numbers::next(const object& config) const {
  auto known = next_.find(run_key(config, parameter_));
  return known == next_.end() ? 0 : known->second;
}

void run_numbers::describe(fingerprint& into) const {
  for (const auto& [key, next] : next_)
    into.add(std::string_view{key}).add(static_cast<std::uint64_t>(next));
}

} // namespace tune
