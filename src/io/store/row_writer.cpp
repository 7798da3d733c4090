// SPDX-License-Identifier: BSD-3-Clause
#include "row_writer.hpp"

#include "checksum.hpp"
#include "exact_json.hpp"
#include "field_codec.hpp"
#include "schema.hpp"

#include "tune/io/json.hpp"
#include "tune/io/store/event_codec.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace tune::store {

namespace {

constexpr std::string_view event_sql
    = "INSERT INTO t_events(seq, t, kind, body, sum) VALUES (?,?,?,?,?)";
constexpr std::string_view result_sql
    = "INSERT INTO t_results(seq, t, trial, attempt, number, iteration, time_iter, time_total,"
      " timestamp_ms, pid, done, metrics, exceptions, sum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr std::string_view trial_sql
    = "INSERT INTO t_trials(trial, status, config, origin, failures, lineage, reason, error,"
      " iterations, time_total, metrics, best_iteration, best_metrics, created, ended, sum)"
      " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(trial) DO UPDATE SET"
      " status = excluded.status, config = excluded.config, origin = excluded.origin,"
      " failures = excluded.failures, lineage = excluded.lineage, reason = excluded.reason,"
      // A trial that runs again keeps its old values until it reports new ones.
      " error = excluded.error,"
      " iterations = iif(excluded.metrics IS NULL, iterations, excluded.iterations),"
      " time_total = iif(excluded.metrics IS NULL, time_total, excluded.time_total),"
      " metrics = coalesce(excluded.metrics, metrics),"
      " best_iteration = coalesce(excluded.best_iteration, best_iteration),"
      " best_metrics = coalesce(excluded.best_metrics, best_metrics), ended = excluded.ended,"
      // An exploit may have changed its configuration.
      " sum = excluded.sum";
constexpr std::string_view progress_sql
    = "UPDATE t_trials SET iterations = ?2, time_total = ?3, metrics = ?4,"
      " best_iteration = coalesce(?5, best_iteration),"
      " best_metrics = coalesce(?6, best_metrics) WHERE trial = ?1";
constexpr std::string_view attempt_sql
    = "INSERT OR REPLACE INTO t_attempts(attempt, trial, lineage, node, start_checkpoint, donor,"
      " config, pid, started, ended, end_class, detail, exit_status, costs)"
      " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr std::string_view decision_sql
    = "INSERT INTO t_decisions(seq, trial, attempt, iteration, action, reason)"
      " VALUES (?,?,?,?,?,?)";
constexpr std::string_view checkpoint_sql
    = "INSERT INTO t_checkpoints(seq, checkpoint, t, trial, attempt, iteration, time_total,"
      " location, bytes, state, detail) VALUES (?,?,?,?,?,?,?,?,?,'good','')";
constexpr std::string_view bad_checkpoint_sql
    = "UPDATE t_checkpoints SET state = 'bad', detail = ?2 WHERE checkpoint = ?1";
constexpr std::string_view checkpoint_state_sql
    = "UPDATE t_checkpoints SET state = ?2 WHERE checkpoint = ?1";
constexpr std::string_view node_up_sql
    = "INSERT OR REPLACE INTO t_nodes(node, state, capacity, since, why, labels, taints)"
      " VALUES (?,'up',?,?,'',?,?)";
constexpr std::string_view node_down_sql
    = "INSERT INTO t_nodes(node, state, since, why) VALUES (?,'down',?,?) ON CONFLICT(node)"
      " DO UPDATE SET state = 'down', since = excluded.since, why = excluded.why";
constexpr std::string_view opened_sql
    = "UPDATE t_head SET opened_seq = ?1, status = 'running', why = '', finished = NULL,"
      " sum = head_sum(epoch, last_seq, created_ms, ?1, 'running', '', NULL)";
constexpr std::string_view finish_sql
    = "UPDATE t_head SET status = ?1, why = ?2, finished = ?3,"
      " sum = head_sum(epoch, last_seq, created_ms, opened_seq, ?1, ?2, ?3)";

std::int64_t number(std::uint64_t x) {
  return static_cast<std::int64_t>(x);
}

std::optional<std::string_view> json_of(const config_ptr& what, std::string& buffer) {
  if (what == nullptr)
    return std::nullopt;
  buffer.clear();
  append_json(buffer, *what);
  return buffer;
}

} // namespace

expected<row_writer> row_writer::make(connection& in) {
  row_writer result;
  const std::pair<statement*, std::string_view> all[] = {
      {&result.event_, event_sql},
      {&result.result_, result_sql},
      {&result.trial_, trial_sql},
      {&result.progress_, progress_sql},
      {&result.attempt_, attempt_sql},
      {&result.decision_, decision_sql},
      {&result.checkpoint_, checkpoint_sql},
      {&result.bad_checkpoint_, bad_checkpoint_sql},
      {&result.checkpoint_state_, checkpoint_state_sql},
      {&result.node_up_, node_up_sql},
      {&result.node_down_, node_down_sql},
      {&result.opened_, opened_sql},
      {&result.finish_, finish_sql},
  };
  for (const auto& [where, sql] : all) {
    auto made = statement::prepare(in, sql);
    if (!made)
      return made.error();
    *where = std::move(*made);
  }
  return result;
}

std::string_view row_writer::clean(std::string_view text) {
  return is_utf8(text) ? text : mended_.emplace_back(mend_utf8(text));
}

bool row_writer::write(const event& what) {
  if (const auto* reported = std::get_if<on::reported>(&what.what);
      reported != nullptr && reported->what != nullptr)
    return write_result(what, *reported->what);
  return write_event(what)
         && std::visit([&](const auto& body) { return follow(what, body); }, what.what);
}

bool row_writer::write_event(const event& what) {
  body_.clear();
  append_event_json(body_, what.what);
  const auto kind = name_of(what.what);
  const std::array<std::int64_t, 2> numbers{number(what.seq), what.at.count()};
  return event_.bind(numbers[0], numbers[1], kind, body_, checksum(numbers, kind, body_)).run();
}

bool row_writer::write_result(const event& where, const report& what) {
  const std::array<std::int64_t, 11> numbers{number(where.seq),
                                             where.at.count(),
                                             number(what.trial.number),
                                             packed(what.attempt),
                                             number(what.number),
                                             number(what.iteration),
                                             what.time_this_iter.count(),
                                             what.time_total.count(),
                                             what.timestamp_ms,
                                             what.pid,
                                             (what.done ? done_bit : 0)
                                                 | (what.has_checkpoint ? checkpoint_bit : 0)};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    result_.put(static_cast<int>(i) + 1, numbers[i]);
  const auto metrics = json_of(what.metrics, metrics_);
  exceptions_.clear();
  if (metrics)
    append_exceptions(exceptions_, *what.metrics, json_position::metric);
  std::optional<std::string_view> exceptions;
  if (!exceptions_.empty())
    exceptions = exceptions_;
  result_.put(12, metrics);
  result_.put(13, exceptions);
  result_.put(14, checksum(numbers, metrics.value_or("null"), exceptions));
  return result_.run();
}

bool row_writer::write(const cmd::trial_changed& what, instant began, instant at) {
  mended_.clear();
  const auto* last = what.last.get();
  const auto* best = what.best.get();
  std::optional<std::int64_t> best_iteration, ended;
  if (best != nullptr)
    best_iteration = number(best->iteration);
  if (is_final(what.status))
    ended = at.count();
  const auto config = json_of(what.config, body_);
  const auto origin = clean(what.origin);
  return trial_
      .bind(what.trial.number, to_text(what.status), config, origin, what.failures, what.lineage,
            clean(what.reason), clean(what.error), last != nullptr ? last->iteration : 0,
            last != nullptr ? last->time_total.count() : 0,
            json_of(last != nullptr ? last->metrics : nullptr, metrics_), best_iteration,
            json_of(best != nullptr ? best->metrics : nullptr, more_), began.count(), ended,
            trial_checksum(number(what.trial.number), config, origin))
      .run();
}

bool row_writer::write(const cmd::trial_progressed& what) {
  const auto* best = what.best.get();
  std::optional<std::int64_t> best_iteration;
  if (best != nullptr)
    best_iteration = number(best->iteration);
  return progress_
      .bind(what.trial.number, what.last->iteration, what.last->time_total.count(),
            json_of(what.last->metrics, metrics_), best_iteration,
            json_of(best != nullptr ? best->metrics : nullptr, more_))
      .run();
}

bool row_writer::write(const cmd::attempt_changed& what) {
  mended_.clear();
  std::optional<std::int64_t> from, donor, ended;
  std::optional<std::string_view> how, detail;
  if (what.from)
    from = number(what.from.number);
  if (what.donor)
    donor = number(what.donor->number);
  if (what.finished) {
    ended = what.finished->count();
    how = to_text(what.how);
    detail = clean(what.detail);
  }
  return attempt_
      .bind(packed(what.attempt), what.trial.number, what.lineage, clean(what.node), from, donor,
            json_of(what.config, body_), what.pid, what.began.count(), ended, how, detail,
            what.exit_status, json_of(what.costs, more_))
      .run();
}

bool row_writer::write(sequence seq, const cmd::decision_taken& what) {
  mended_.clear();
  body_.clear();
  append_json(body_, what.reason);
  return decision_
      .bind(seq, what.trial.number, packed(what.attempt), what.iteration, clean(what.action), body_)
      .run();
}

bool row_writer::write(const cmd::finish& what, instant at) {
  mended_.clear();
  return finish_.bind(to_text(what.status), clean(what.why), at.count()).run();
}

bool row_writer::follow(const event& where, const on::opened&) {
  return opened_.bind(where.seq).run();
}

bool row_writer::follow(const event& where, const on::saved& what) {
  mended_.clear();
  std::optional<std::int64_t> checkpoint;
  if (what.checkpoint)
    checkpoint = number(what.checkpoint.number);
  return checkpoint_
      .bind(where.seq, checkpoint, where.at.count(), what.trial.number, packed(what.attempt),
            what.iteration, what.time_total.count(), clean(what.location), what.bytes)
      .run();
}

bool row_writer::follow(const event&, const on::checkpoint_bad& what) {
  mended_.clear();
  return bad_checkpoint_.bind(what.checkpoint.number, clean(what.why)).run();
}

bool row_writer::follow(const event&, const on::checkpoints_doomed& what) {
  return std::all_of(what.which.begin(), what.which.end(), [this](checkpoint_id id) {
    return checkpoint_state_.bind(id.number, std::string_view{"doomed"}).run();
  });
}

bool row_writer::follow(const event&, const on::checkpoint_gone& what) {
  return checkpoint_state_.bind(what.checkpoint.number, std::string_view{"gone"}).run();
}

bool row_writer::follow(const event& where, const on::node_up& what) {
  mended_.clear();
  body_.clear();
  put(body_, what.capacity);
  labels_.clear();
  put(labels_, what.labels);
  taints_.clear();
  put(taints_, what.taints);
  return node_up_.bind(clean(what.node), body_, where.at.count(), labels_, taints_).run();
}

bool row_writer::follow(const event& where, const on::node_down& what) {
  mended_.clear();
  return node_down_.bind(clean(what.node), where.at.count(), clean(what.why)).run();
}

} // namespace tune::store
