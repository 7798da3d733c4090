// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/succeeded.hpp"

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

expected<bool> has_succeeded(store_reader& from, const trial_row& x, const std::string& metric) {
  if (x.best_metrics)
    return true;
  return x.iterations == 0 ? expected<bool>{false} : reported_number(from, x.trial, metric);
}

} // namespace

expected<std::uint64_t> count_succeeded(store_reader& from, const std::string& metric) {
  std::uint64_t result = 0;
  trial_query query;
  query.status = trial_status::terminated;
  query.limit = page;
  for (;;) {
    const auto rows = from.trials(query);
    if (!rows)
      return rows.error();
    for (const auto& x : *rows) {
      const auto good = has_succeeded(from, x, metric);
      if (!good)
        return good.error();
      result += *good ? 1 : 0;
    }
    if (rows->size() < page)
      return result;
    query.offset += page;
  }
}

} // namespace tune
