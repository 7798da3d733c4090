// SPDX-License-Identifier: BSD-3-Clause
#include "head_row.hpp"

#include "checksum.hpp"
#include "row_reader.hpp"

#include <array>
#include <string_view>

namespace tune::store {

namespace {

constexpr std::string_view columns
    = "epoch, last_seq, created_ms, opened_seq, status, why, finished";
constexpr int column_count = 7;

/// An absent column gives another checksum than any value.
std::int64_t sum_of(const head_row& x) {
  const std::array<std::int64_t, 9> numbers{x.epoch,
                                            x.last_seq,
                                            x.created_ms,
                                            x.opened_seq ? 1 : 0,
                                            x.opened_seq.value_or(0),
                                            x.status ? 1 : 0,
                                            x.why ? 1 : 0,
                                            x.finished ? 1 : 0,
                                            x.finished.value_or(0)};
  return checksum(numbers, x.status.value_or(""), x.why.value_or(""));
}

std::optional<std::int64_t> number_of(sqlite3_value* x) {
  if (sqlite3_value_type(x) == SQLITE_NULL)
    return std::nullopt;
  return sqlite3_value_int64(x);
}

std::optional<std::string> text_of(sqlite3_value* x) {
  const auto* data = reinterpret_cast<const char*>(sqlite3_value_text(x));
  if (data == nullptr)
    return std::nullopt;
  return std::string{data, static_cast<std::size_t>(sqlite3_value_bytes(x))};
}

void head_sum(sqlite3_context* to, int, sqlite3_value** of) {
  head_row x;
  x.epoch = sqlite3_value_int64(of[0]);
  x.last_seq = sqlite3_value_int64(of[1]);
  x.created_ms = sqlite3_value_int64(of[2]);
  x.opened_seq = number_of(of[3]);
  x.status = text_of(of[4]);
  x.why = text_of(of[5]);
  x.finished = number_of(of[6]);
  sqlite3_result_int64(to, sum_of(x));
}

std::optional<std::int64_t> number_at(const statement& row, int column) {
  if (row.is_null(column))
    return std::nullopt;
  return row.number(column);
}

std::optional<std::string> text_at(const statement& row, int column) {
  if (row.is_null(column))
    return std::nullopt;
  return std::string{row.text(column)};
}

void trial_sum(sqlite3_context* to, int, sqlite3_value** of) {
  const auto config = text_of(of[1]);
  sqlite3_result_int64(
      to, trial_checksum(sqlite3_value_int64(of[0]), config, text_of(of[2]).value_or("")));
}

expected<void> add_sum(connection& in, const std::string& table, const std::string& call) {
  auto there = has_sum(in, table);
  if (!there)
    return there.error();
  if (*there)
    return {};
  return in.run("BEGIN IMMEDIATE; ALTER TABLE " + table
                + " ADD COLUMN sum INTEGER NOT NULL DEFAULT 0; UPDATE " + table
                + " SET sum = " + call + "; COMMIT;");
}

} // namespace

expected<void> provide_sums(connection& in) {
  constexpr int how = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  auto provide = [&](const char* name, int arguments, auto function) {
    return sqlite3_create_function_v2(in.handle(), name, arguments, how, nullptr, function, nullptr,
                                      nullptr, nullptr)
           == SQLITE_OK;
  };
  if (!provide("head_sum", column_count, head_sum) || !provide("trial_sum", 3, trial_sum))
    return in.failure();
  return {};
}

expected<void> add_sums(connection& in) {
  if (auto added = add_sum(in, "t_head", "head_sum(" + std::string{columns} + ")"); !added)
    return added;
  return add_sum(in, "t_trials", "trial_sum(trial, config, origin)");
}

error damaged_head() {
  return {ec::storage, "damaged: t_head is empty"};
}

std::string select_head(bool summed) {
  return "SELECT " + std::string{columns} + (summed ? ", sum" : "") + " FROM t_head";
}

expected<head_row> head_in(const statement& row, bool summed) {
  head_row x;
  x.epoch = row.number(0);
  x.last_seq = row.number(1);
  x.created_ms = row.number(2);
  x.opened_seq = number_at(row, 3);
  x.status = text_at(row, 4);
  x.why = text_at(row, 5);
  x.finished = number_at(row, 6);
  if (summed && row.number(column_count) != sum_of(x))
    return damaged("t_head", "1", "damaged: the checksum does not fit");
  return x;
}

expected<head_row> read_head(connection& in) {
  auto summed = has_sum(in, "t_head");
  if (!summed)
    return summed.error();
  auto query = statement::prepare(in, select_head(*summed));
  if (!query)
    return query.error();
  auto located = [&in](const error& what) {
    return error{what.code,
                 std::string{sqlite3_db_filename(in.handle(), "main")} + ": " + what.detail};
  };
  bool failed = false;
  if (!query->step(failed))
    return failed ? in.failure() : located(damaged_head());
  auto result = head_in(*query, *summed);
  return result ? std::move(result) : expected<head_row>{located(result.error())};
}

} // namespace tune::store
