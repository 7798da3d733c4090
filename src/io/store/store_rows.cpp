// The rows of an experiment's tables, as its reader gives them.
// SPDX-License-Identifier: BSD-3-Clause
#include "store_reader_impl.hpp"

#include "tune/io/store/event_codec.hpp"

#include <algorithm>

namespace tune {

namespace {

using store::bounded;
using store::select;
using store::statement;

std::string order_of(const trial_query& which) {
  const std::string way = which.descending ? " DESC" : " ASC";
  switch (which.by) {
    case trial_query::order::number:
      return "trial" + way;
    case trial_query::order::created:
      return "created" + way + ", trial" + way;
    case trial_query::order::ended:
      return "ended IS NULL, ended" + way + ", trial" + way;
    case trial_query::order::iterations:
      return "iterations" + way + ", trial";
    case trial_query::order::metric:
      break;
  }
  // NaN is stored as a text.
  return "typeof(rank) IN ('integer', 'real') DESC, rank" + way + ", trial";
}

} // namespace

expected<std::vector<trial_row>> store_reader::trials(const trial_query& which) {
  std::string from = "t_trials AS t";
  if (which.by == trial_query::order::metric)
    // Infinities are stored as texts but rank as numbers.
    from = "(SELECT *, (SELECT CASE value WHEN 'inf' THEN 9e999 WHEN '-inf' THEN -9e999"
           " ELSE value END FROM json_each(best_metrics) WHERE key = ?4) AS rank"
           " FROM t_trials) AS t";
  auto columns = impl_->trial_columns();
  if (!columns)
    return columns.error();
  const auto sql = select(*columns, from + " WHERE (?1 IS NULL OR status = ?1) ORDER BY "
                                        + order_of(which) + " LIMIT ?2 OFFSET ?3");
  std::optional<std::string_view> status;
  if (which.status)
    status = to_text(*which.status);
  const auto limit = bounded(which.limit), offset = bounded(which.offset);
  if (which.by == trial_query::order::metric)
    return impl_->collect(sql, store::read_trial, status, limit, offset,
                          std::string_view{which.metric});
  return impl_->collect(sql, store::read_trial, status, limit, offset);
}

expected<std::optional<trial_row>> store_reader::trial(trial_id which) {
  auto sql = impl_->select_trial();
  if (!sql)
    return sql.error();
  return impl_->one(*sql, store::read_trial, which.number);
}

expected<std::vector<result_row>> store_reader::results(trial_id of, sequence after,
                                                        std::size_t limit) {
  auto work = [&]() -> expected<std::vector<result_row>> {
    auto reports
        = impl_->collect(select(store::result_columns, "t_results WHERE trial = ?1 AND seq > ?2"
                                                       " ORDER BY seq LIMIT ?3"),
                         store::read_reported, of.number, bounded(after), bounded(limit));
    auto runs = attempts(of);
    if (!reports || !runs)
      return reports ? runs.error() : reports.error();
    std::map<attempt_id, const attempt_row*> known;
    for (const auto& run : *runs)
      known[run.attempt] = &run;
    std::vector<result_row> result;
    result.reserve(reports->size());
    for (auto& x : *reports) {
      result_row row{x.seq, x.at, std::get<on::reported>(x.what).what, 1, {}};
      if (auto found = known.find(row.what->attempt); found != known.end()) {
        row.lineage = found->second->lineage;
        row.node = found->second->node;
        row.config = found->second->config;
      }
      result.push_back(std::move(row));
    }
    return result;
  };
  return impl_->in_snapshot(work);
}

expected<std::vector<std::shared_ptr<const report>>>
store_reader::saved_reports(trial_id of, std::optional<std::uint64_t> iteration) {
  std::optional<std::int64_t> only;
  if (iteration)
    only = bounded(*iteration);
  auto rows = impl_->collect(
      select(store::result_columns,
             "t_results WHERE trial = ?1 AND (?2 IS NULL OR iteration = ?2)"
             " AND (attempt, iteration) IN (SELECT attempt, iteration FROM t_checkpoints"
             " WHERE trial = ?1 AND state = 'good') ORDER BY seq"),
      store::read_reported, of.number, only);
  if (!rows)
    return rows.error();
  std::vector<std::shared_ptr<const report>> result;
  result.reserve(rows->size());
  for (const auto& x : *rows)
    result.push_back(std::get<on::reported>(x.what).what);
  return result;
}

expected<std::uint64_t> store_reader::count_results(trial_id of, sequence until) {
  auto read = [](const statement& row) -> expected<std::uint64_t> {
    return static_cast<std::uint64_t>(row.number(0));
  };
  auto found
      = impl_->collect<std::uint64_t>("SELECT count(*) FROM t_results WHERE trial = ? AND seq <= ?",
                                      +read, of.number, bounded(until));
  if (!found)
    return found.error();
  return found->empty() ? 0 : found->front();
}

expected<std::vector<attempt_row>> store_reader::attempts(trial_id of) {
  return impl_->collect(impl_->select_attempts("trial = ? ORDER BY attempt"), store::read_attempt,
                        of.number);
}

expected<std::optional<attempt_row>> store_reader::attempt(attempt_id which) {
  return impl_->one(impl_->select_attempts("attempt = ?"), store::read_attempt,
                    store::packed(which));
}

expected<cost_sheet> store_reader::costs(trial_id of) {
  auto all = attempts(of);
  if (!all)
    return all.error();
  cost_sheet result;
  for (const auto& x : *all)
    result.add(from_record(x.costs));
  return result;
}

expected<std::vector<attempt_row>> store_reader::failures(trial_id of) {
  auto all = attempts(of);
  if (all)
    std::erase_if(*all, [](const attempt_row& x) { return !x.finished || !is_failure(x.how); });
  return all;
}

expected<std::vector<decision_row>> store_reader::decisions(trial_id of) {
  return impl_->collect(select("seq, trial, attempt, iteration, action, reason",
                               "t_decisions WHERE trial = ? ORDER BY id"),
                        store::read_decision, of.number);
}

expected<std::vector<checkpoint_row>> store_reader::checkpoints(trial_id of) {
  return impl_->collect(
      select(store::checkpoint_columns, "t_checkpoints WHERE trial = ? ORDER BY seq"),
      store::read_checkpoint, of.number);
}

expected<std::vector<checkpoint_row>> store_reader::good_checkpoints() {
  return impl_->collect(
      select(store::checkpoint_columns, "t_checkpoints WHERE state = 'good' ORDER BY seq"),
      store::read_checkpoint);
}

expected<std::vector<export_row>> store_reader::exports(trial_id of) {
  return impl_->collect("SELECT e.seq, json_extract(e.body, '$.trial'),"
                        " json_extract(e.body, '$.attempt'), json_extract(f.value, '$.format'),"
                        " json_extract(f.value, '$.path'), json_extract(f.value, '$.why'),"
                        " json_extract(e.body, '$.location')"
                        " FROM t_events e, json_each(e.body, '$.formats') f"
                        " WHERE e.kind = 'exported' AND json_extract(e.body, '$.trial') = ?"
                        " ORDER BY e.seq, f.id",
                        store::read_export, of.number);
}

expected<std::vector<node_row>> store_reader::nodes() {
  const std::string marks = impl_->has_node_labels() ? "labels, taints" : "NULL, NULL";
  return impl_->collect("SELECT node, state, capacity, since, why, " + marks
                            + " FROM t_nodes ORDER BY node",
                        store::read_node);
}

} // namespace tune
