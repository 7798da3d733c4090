// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/table_model.hpp"

#include <utility>

namespace tune::cli {

namespace {

std::uint64_t iteration_of(const object& row, std::size_t position) {
  const auto* at = row.find("training_iteration");
  return at != nullptr && at->as_int() != nullptr ? static_cast<std::uint64_t>(*at->as_int())
                                                  : position + 1;
}

double time_of(const object& row, double before) {
  const auto* at = row.find("time_total_s");
  return at != nullptr ? at->number().value_or(before) : before;
}

} // namespace

table_model::curve& table_model::curve_of(trial_id trial, const config_ptr& config,
                                          std::uint64_t done) {
  auto [known, fresh] = running_.try_emplace(trial);
  auto& x = known->second;
  if (fresh || x.config != config)
    x = {config, table_.curve_of(*config, *space_)};
  // The trial goes on from a checkpoint: skip the rows before it.
  if (x.done != done) {
    x.next = 0;
    x.time = 0;
  }
  while (x.next < x.rows.size() && iteration_of(x.rows[x.next], x.next) <= done)
    x.time = time_of(x.rows[x.next++], x.time);
  return x;
}

simulated_step table_model::next(trial_id trial, const config_ptr& config, std::uint64_t done) {
  auto& x = curve_of(trial, config, done);
  if (x.next == x.rows.size())
    return {};
  const auto& row = x.rows[x.next];
  auto time = time_of(row, x.time);
  simulated_step result{row, otherwise_};
  if (row.contains("time_total_s") && time > x.time)
    result.takes = instant{static_cast<std::int64_t>((time - x.time) * 1e9)};
  x.done = iteration_of(row, x.next);
  x.time = time;
  ++x.next;
  return result;
}

} // namespace tune::cli
