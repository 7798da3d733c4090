// SPDX-License-Identifier: BSD-3-Clause
#include "row_reader.hpp"

#include "checksum.hpp"
#include "field_codec.hpp"
#include "schema.hpp"

#include "tune/io/json.hpp"
#include "tune/io/store/event_codec.hpp"

#include <array>

namespace tune::store {

namespace {

std::uint64_t unsigned_at(const statement& row, int column) {
  return static_cast<std::uint64_t>(row.number(column));
}

std::uint32_t narrow_at(const statement& row, int column) {
  return static_cast<std::uint32_t>(row.number(column));
}

std::optional<instant> time_at(const statement& row, int column) {
  if (row.is_null(column))
    return std::nullopt;
  return instant{row.number(column)};
}

/// Reads a column of JSON; empty for NULL. @returns false, with the reason, if it is not an object.
bool read_object(const statement& row, int column, json_position where, std::optional<object>& to,
                 std::string& why) {
  to.reset();
  if (row.is_null(column))
    return true;
  auto read = object_from_json(row.text(column), where, limits);
  if (!read) {
    why = read.error().detail;
    return false;
  }
  to = std::move(*read);
  return true;
}

} // namespace

std::optional<trial_status> status_of(std::string_view name) {
  for (std::size_t i = 0; i < trial_status_count; ++i) {
    if (to_text(static_cast<trial_status>(i)) == name)
      return static_cast<trial_status>(i);
  }
  return std::nullopt;
}

error damaged(std::string_view table, std::string_view key, std::string_view what) {
  return {ec::storage, std::string{table} + " row " + std::string{key} + ": " + std::string{what}};
}

expected<bool> has_sum(connection& in, const std::string& table) {
  auto found
      = in.number("SELECT count(*) FROM pragma_table_info('" + table + "') WHERE name = 'sum'");
  if (!found)
    return found.error();
  return *found != 0;
}

expected<trial_row> read_trial(const statement& row) {
  trial_row x;
  x.trial = {unsigned_at(row, 0)};
  const auto key = std::to_string(x.trial.number);
  std::optional<std::string_view> suggested;
  if (!row.is_null(2))
    suggested = row.text(2);
  if (!row.is_null(15) && trial_checksum(row.number(0), suggested, row.text(3)) != row.number(15))
    return damaged("t_trials", key, "damaged: the checksum does not fit");
  const auto status = status_of(row.text(1));
  if (!status)
    return damaged("t_trials", key, "unknown status");
  x.status = *status;
  std::optional<object> config;
  std::string why;
  if (!read_object(row, 2, json_position::plain, config, why)
      || !read_object(row, 10, json_position::metric, x.metrics, why)
      || !read_object(row, 12, json_position::metric, x.best_metrics, why))
    return damaged("t_trials", key, why);
  if (!read_object(row, 16, json_position::plain, x.best_config, why))
    return damaged("t_trials", key, "configuration of its best report: " + why);
  if (!read_object(row, 17, json_position::plain, x.last_config, why))
    return damaged("t_trials", key, "configuration of its last report: " + why);
  x.config = std::move(config).value_or(object{});
  x.origin = row.text(3);
  x.failures = narrow_at(row, 4);
  x.lineage = narrow_at(row, 5);
  x.reason = row.text(6);
  x.error = row.text(7);
  x.iterations = unsigned_at(row, 8);
  x.time_total = std::chrono::nanoseconds{row.number(9)};
  x.best_iteration = unsigned_at(row, 11);
  x.created = instant{row.number(13)};
  x.ended = time_at(row, 14);
  return x;
}

expected<attempt_row> read_attempt(const statement& row) {
  attempt_row x;
  x.attempt = unpacked(row.number(0));
  std::optional<object> config;
  std::string why;
  if (!read_object(row, 6, json_position::plain, config, why))
    return damaged("t_attempts", to_text(x.attempt), why);
  x.trial = {unsigned_at(row, 1)};
  x.lineage = narrow_at(row, 2);
  x.node = row.text(3);
  x.from = {unsigned_at(row, 4)};
  if (!row.is_null(5))
    x.donor = trial_id{unsigned_at(row, 5)};
  x.config = std::make_shared<const object>(std::move(config).value_or(object{}));
  x.pid = row.number(7);
  x.began = instant{row.number(8)};
  x.finished = time_at(row, 9);
  if (x.finished) {
    const auto how = end_class_from(row.text(10));
    if (!how)
      return damaged("t_attempts", to_text(x.attempt), "unknown class of end");
    x.how = *how;
    x.detail = row.text(11);
  }
  if (!row.is_null(12))
    x.exit_status = static_cast<std::int32_t>(row.number(12));
  std::optional<object> costs;
  if (!read_object(row, 13, json_position::plain, costs, why))
    return damaged("t_attempts", to_text(x.attempt), why);
  if (costs)
    x.costs = std::make_shared<const object>(std::move(*costs));
  return x;
}

expected<decision_row> read_decision(const statement& row) {
  decision_row x;
  x.seq = unsigned_at(row, 0);
  x.trial = {unsigned_at(row, 1)};
  x.attempt = unpacked(row.number(2));
  x.iteration = unsigned_at(row, 3);
  x.action = row.text(4);
  std::optional<object> reason;
  std::string why;
  if (!read_object(row, 5, json_position::metric, reason, why))
    return damaged("t_decisions", "of event " + std::to_string(x.seq), why);
  x.reason = std::move(reason).value_or(object{});
  return x;
}

expected<checkpoint_row> read_checkpoint(const statement& row) {
  checkpoint_row x;
  x.seq = unsigned_at(row, 0);
  x.checkpoint = {unsigned_at(row, 1)};
  x.at = instant{row.number(2)};
  x.trial = {unsigned_at(row, 3)};
  x.attempt = unpacked(row.number(4));
  x.iteration = unsigned_at(row, 5);
  x.time_total = std::chrono::nanoseconds{row.number(6)};
  x.location = row.text(7);
  x.bytes = unsigned_at(row, 8);
  x.state = row.text(9);
  x.detail = row.text(10);
  return x;
}

expected<export_row> read_export(const statement& row) {
  export_row x;
  x.seq = unsigned_at(row, 0);
  x.trial = {unsigned_at(row, 1)};
  x.attempt = row.text(2);
  x.format = row.text(3);
  x.path = row.text(4);
  x.why = row.text(5);
  x.location = row.text(6);
  return x;
}

expected<node_row> read_node(const statement& row) {
  node_row x;
  x.node = row.text(0);
  x.up = row.text(1) == "up";
  if (!row.is_null(2)) {
    auto read = from_json(row.text(2));
    complaint why;
    if (!read || !get(*read, x.capacity, why))
      return damaged("t_nodes", x.node, read ? why : read.error().detail);
  }
  x.since = instant{row.number(3)};
  x.why = row.text(4);
  for (const auto& [column, to] : {std::pair{5, &x.labels}, std::pair{6, &x.taints}}) {
    if (row.is_null(column))
      continue;
    auto read = from_json(row.text(column));
    complaint why;
    if (!read || !get(*read, *to, why))
      return damaged("t_nodes", x.node, read ? why : read.error().detail);
  }
  return x;
}

expected<event> read_event(const statement& row) {
  const std::array<std::int64_t, 2> numbers{row.number(0), row.number(1)};
  const auto kind = row.text(2);
  const auto body = row.text(3);
  const auto key = std::to_string(numbers[0]);
  if (row.is_null(4) || checksum(numbers, kind, body) != row.number(4))
    return damaged("t_events", key, "damaged: the checksum does not fit");
  auto what = event_from_json(kind, body);
  if (!what)
    return damaged("t_events", key, what.error().detail);
  return event{static_cast<sequence>(numbers[0]), instant{numbers[1]}, std::move(*what)};
}

expected<event> read_reported(const statement& row) {
  std::array<std::int64_t, 11> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = row.number(static_cast<int>(i));
  const auto key = std::to_string(numbers[0]);
  const auto text = row.is_null(11) ? std::string_view{"null"} : row.text(11);
  std::optional<std::string_view> exceptions;
  if (!row.is_null(12))
    exceptions = row.text(12);
  if (row.is_null(13) || checksum(numbers, text, exceptions) != row.number(13))
    return damaged("t_results", key, "damaged: the checksum does not fit");
  auto x = std::make_shared<report>();
  if (!row.is_null(11)) {
    // With exceptions, texts must remain texts until `restored` examines each of them.
    const auto where = exceptions ? json_position::plain : json_position::metric;
    auto metrics = object_from_json(text, where, limits);
    auto places = from_json(exceptions.value_or("null"), json_position::plain, limits);
    if (!metrics || !places)
      return damaged("t_results", key, (metrics ? places.error() : metrics.error()).detail);
    if (exceptions)
      *metrics = restored(std::move(*metrics), json_position::metric, *places);
    x->metrics = std::make_shared<const object>(std::move(*metrics));
  }
  x->trial = {static_cast<std::uint64_t>(numbers[2])};
  x->attempt = unpacked(numbers[3]);
  x->number = static_cast<std::uint64_t>(numbers[4]);
  x->iteration = static_cast<std::uint64_t>(numbers[5]);
  x->time_this_iter = std::chrono::nanoseconds{numbers[6]};
  x->time_total = std::chrono::nanoseconds{numbers[7]};
  x->timestamp_ms = numbers[8];
  x->pid = numbers[9];
  x->done = (numbers[10] & done_bit) != 0;
  x->has_checkpoint = (numbers[10] & checkpoint_bit) != 0;
  return event{static_cast<sequence>(numbers[0]), instant{numbers[1]}, on::reported{std::move(x)}};
}

} // namespace tune::store
