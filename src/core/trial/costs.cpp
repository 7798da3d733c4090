// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/costs.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace tune {

namespace {

constexpr std::string_view common_part = "tune/";

constexpr std::array<cost_kind, cost_kind_count> all_kinds{
    cost_kind::cpu_s, cost_kind::peak_rss_bytes, cost_kind::read_bytes, cost_kind::written_bytes,
    cost_kind::gpu_s, cost_kind::peak_gpu_bytes, cost_kind::energy_j};

bool is_peak(cost_kind which) {
  return which == cost_kind::peak_rss_bytes || which == cost_kind::peak_gpu_bytes;
}

std::string_view name_of(cost_kind which) {
  return cost_metrics[static_cast<std::size_t>(which)];
}

/// Bytes are whole numbers, as far as those are exact; seconds and joules go to millionths.
value shown(cost_kind which, double x) {
  constexpr double most_exact = 9007199254740992.0;
  constexpr double parts = 1e6;
  if (name_of(which).ends_with("_bytes"))
    return x > most_exact ? value{x} : value{static_cast<std::int64_t>(x)};
  return x > most_exact / parts ? x : std::round(x * parts) / parts;
}

} // namespace

bool is_cost(std::string_view metric) {
  return std::find(cost_metrics.begin(), cost_metrics.end(), metric) != cost_metrics.end();
}

std::string_view short_name(cost_kind which) {
  return name_of(which).substr(common_part.size());
}

void cost_sheet::set(cost_kind which, double x) {
  if (std::isfinite(x) && x >= 0)
    all_[static_cast<std::size_t>(which)] = x;
}

bool cost_sheet::empty() const {
  return std::none_of(all_.begin(), all_.end(), [](const auto& x) { return x.has_value(); });
}

void cost_sheet::add(const cost_sheet& more) {
  for (auto kind : all_kinds) {
    const auto x = more.of(kind);
    if (!x)
      continue;
    const auto before = of(kind).value_or(0);
    set(kind, is_peak(kind) ? std::max(before, *x) : before + *x);
  }
}

void cost_sheet::raise(const cost_sheet& later) {
  for (auto kind : all_kinds) {
    if (const auto x = later.of(kind))
      set(kind, std::max(of(kind).value_or(0), *x));
  }
}

cost_sheet cost_sheet::since(const cost_sheet& before) const {
  auto result = *this;
  for (auto kind : all_kinds) {
    const auto x = of(kind);
    if (x && !is_peak(kind))
      result.set(kind, std::max(0.0, *x - before.of(kind).value_or(0)));
  }
  return result;
}

object cost_sheet::to_object() const {
  object result;
  for (auto kind : all_kinds) {
    if (const auto x = of(kind))
      result.set(std::string{short_name(kind)}, shown(kind, *x));
  }
  return result;
}

cost_sheet cost_sheet::from(const object& names) {
  cost_sheet result;
  for (auto kind : all_kinds) {
    const auto* found = names.find(short_name(kind));
    if (const auto x = found == nullptr ? std::nullopt : found->number())
      result.set(kind, *x);
  }
  return result;
}

cost_sheet cost_sheet::among(const object& metrics) {
  cost_sheet result;
  for (auto kind : all_kinds) {
    const auto* found = find_path(metrics, name_of(kind));
    if (const auto x = found == nullptr ? std::nullopt : found->number())
      result.set(kind, *x);
  }
  return result;
}

void cost_sheet::join(object& metrics) const {
  for (auto kind : all_kinds) {
    const auto x = of(kind);
    if (x && find_path(metrics, name_of(kind)) == nullptr)
      metrics.set(std::string{name_of(kind)}, shown(kind, *x));
  }
}

metrics_ptr to_record(const cost_sheet& x) {
  return x.empty() ? nullptr : std::make_shared<const object>(x.to_object());
}

cost_sheet from_record(const metrics_ptr& x) {
  return x == nullptr ? cost_sheet{} : cost_sheet::from(*x);
}

} // namespace tune
