// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/trials_with_number.hpp"

#include "tune/core/trial/report.hpp"

#include <algorithm>

namespace tune {

namespace {

constexpr std::size_t page = 1000;

/// NaN counts as a number but never as the best one: only the reports have it.
expected<bool> reported_number(store_reader& from, trial_id of, const std::string& metric) {
  for (sequence after = 0;;) {
    const auto rows = from.results(of, after, page);
    if (!rows)
      return rows.error();
    if (std::any_of(rows->begin(), rows->end(), [&](const result_row& x) {
          return metric_number(*x.what, metric).has_value();
        }))
      return true;
    if (rows->size() < page)
      return false;
    after = rows->back().seq;
  }
}

expected<bool> had_number(store_reader& from, const trial_row& x, const std::string& metric) {
  if (x.best_metrics)
    return true;
  return x.iterations == 0 ? expected<bool>{false} : reported_number(from, x.trial, metric);
}

} // namespace

expected<trials_with_number> count_with_number(store_reader& from, const std::string& metric) {
  trials_with_number result;
  trial_query query;
  query.limit = page;
  for (;;) {
    const auto rows = from.trials(query);
    if (!rows)
      return rows.error();
    for (const auto& x : *rows) {
      if (x.status == trial_status::errored)
        continue;
      const auto counts = had_number(from, x, metric);
      if (!counts)
        return counts.error();
      result.promising += *counts ? 1 : 0;
      result.succeeded += *counts && x.status == trial_status::terminated ? 1 : 0;
    }
    if (rows->size() < page)
      return result;
    query.offset += page;
  }
}

} // namespace tune
