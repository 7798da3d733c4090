/// The inside of a reader: its connection, its statements, and the snapshot that it holds. Private
/// to the store.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "head_row.hpp"
#include "row_reader.hpp"
#include "schema.hpp"
#include "sqlite.hpp"

#include "tune/io/store/store_reader.hpp"

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {

namespace store {

inline std::string select(std::string_view columns, std::string_view rest) {
  return "SELECT " + std::string{columns} + " FROM " + std::string{rest};
}

/// A number for SQL, at most the largest that it has.
inline std::int64_t bounded(std::uint64_t x) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return x > static_cast<std::uint64_t>(most) ? most : static_cast<std::int64_t>(x);
}

/// Whether rows of trials have the configurations of their last reports.
enum class last_reports { shown, left_out };

/// A statement in use; the destructor resets it for the next use.
class borrowed {
public:
  explicit borrowed(statement& what) : what_{what} {}
  borrowed(const borrowed&) = delete;
  borrowed& operator=(const borrowed&) = delete;
  ~borrowed() { what_.reset(); }
  statement* operator->() { return &what_; }
  statement& operator*() { return what_; }

private:
  statement& what_;
};

} // namespace store

class store_reader::impl {
public:
  explicit impl(store::connection db, std::string file)
      : db_{std::move(db)}
      , file_{std::move(file)}
      , has_costs_{is_sure(store::has_costs(db_))}
      , has_node_labels_{is_sure(store::has_node_labels(db_))} {}

  /// SQL for rows of attempts.
  [[nodiscard]] std::string select_attempts(std::string_view which) const {
    return store::select(std::string{store::attempt_columns} + (has_costs_ ? ", costs" : ", NULL"),
                         "t_attempts WHERE " + std::string{which});
  }

  /// Runs `sql` with the values and turns every row into a `Row`.
  template <class Row, class... Values>
  expected<std::vector<Row>> collect(const std::string& sql,
                                     expected<Row> (*read)(const store::statement&),
                                     const Values&... values) {
    auto* found = prepared(sql);
    if (found == nullptr)
      return failure();
    store::borrowed query{*found};
    query->bind(values...);
    std::vector<Row> result;
    bool failed = false;
    while (query->step(failed)) {
      auto row = read(*query);
      if (!row)
        return located(row.error());
      result.push_back(std::move(*row));
    }
    if (failed)
      return failure();
    return result;
  }

  /// Runs `sql` with the values and passes every row to `hear`. @returns the number of rows.
  template <class Hear, class... Values>
  expected<std::size_t> scan(const std::string& sql, const Hear& hear, const Values&... values) {
    auto* found = prepared(sql);
    if (found == nullptr)
      return failure();
    store::borrowed query{*found};
    query->bind(values...);
    std::size_t result = 0;
    bool failed = false;
    for (; query->step(failed); ++result)
      hear(*query);
    if (failed)
      return failure();
    return result;
  }

  template <class Row, class... Values>
  expected<std::optional<Row>> one(const std::string& sql,
                                   expected<Row> (*read)(const store::statement&),
                                   const Values&... values) {
    auto all = collect(sql, read, values...);
    if (!all)
      return all.error();
    if (all->empty())
      return std::optional<Row>{};
    return std::optional<Row>{std::move(all->front())};
  }

  /// Calls `work` within one transaction.
  template <class Work>
  auto in_snapshot(Work work) -> decltype(work()) {
    if (held_)
      return work();
    // Within another call of its kind.
    if (sqlite3_get_autocommit(db_.handle()) == 0)
      return work();
    if (auto begun = db_.run("BEGIN"); !begun)
      return busy_or(begun.error());
    auto result = work();
    auto ended = db_.run("COMMIT");
    if (result && !ended)
      return busy_or(ended.error());
    return result;
  }

  void heed_locks_for(std::chrono::milliseconds time) {
    db_.set_busy_timeout(time);
    tells_busy_ = true;
  }
  /// `why`, told apart if another process's lock is the reason.
  [[nodiscard]] error busy_or(error why) const {
    return tells_busy_ && db_.is_busy() ? error{ec::timeout, std::move(why.detail)} : why;
  }
  [[nodiscard]] error failure() const { return busy_or(db_.failure()); }

  /// Experiment time of the last event. [nanoseconds]
  expected<std::int64_t> elapsed() {
    static const std::string sql
        = "SELECT max(ifnull((SELECT t FROM t_events ORDER BY seq DESC LIMIT 1), 0),"
          " ifnull((SELECT t FROM t_results ORDER BY seq DESC LIMIT 1), 0))";
    std::int64_t result = 0;
    auto read = scan(sql, [&](const store::statement& row) { result = row.number(0); });
    return read ? expected<std::int64_t>{result} : read.error();
  }

  /// As `store::read_head`, which does not keep its statements.
  expected<store::head_row> head_row() {
    if (select_head_.empty()) {
      auto summed = store::has_sum(db_, "t_head");
      if (!summed)
        return busy_or(summed.error());
      head_is_summed_ = *summed;
      select_head_ = store::select_head(head_is_summed_);
    }
    auto* found = prepared(select_head_);
    if (found == nullptr)
      return failure();
    store::borrowed query{*found};
    bool failed = false;
    if (!query->step(failed))
      return failed ? failure() : located(store::damaged_head());
    auto row = store::head_in(*query, head_is_summed_);
    return row ? std::move(row) : expected<store::head_row>{located(row.error())};
  }

  expected<experiment_row> experiment();
  expected<std::vector<event>> events_after(sequence after, std::size_t limit, std::size_t bytes);
  store::connection& db() { return db_; }
  /// Whether attempts have a column for their costs.
  [[nodiscard]] bool has_costs() const { return has_costs_; }
  [[nodiscard]] bool has_node_labels() const { return has_node_labels_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// Columns of `t_trials AS t`, with the checksum and the configurations of the best and of the
  /// last report.
  expected<std::string> trial_columns(store::last_reports which = store::last_reports::shown) {
    if (trial_columns_.empty()) {
      auto summed = store::has_sum(db_, "t_trials");
      if (!summed)
        return summed.error();
      trial_columns_ = std::string{store::trial_columns} + (*summed ? ", sum" : ", NULL")
                       + ", nullif(" + std::string{store::best_config} + ", t.config), ";
    }
    return trial_columns_
           + (which == store::last_reports::left_out
                  ? "NULL"
                  : "nullif(" + std::string{store::last_config} + ", t.config)");
  }

  /// SQL for one trial.
  expected<std::string> select_trial() {
    if (select_trial_.empty()) {
      auto columns = trial_columns();
      if (!columns)
        return columns.error();
      select_trial_ = store::select(*columns, "t_trials AS t WHERE trial = ?");
    }
    return select_trial_;
  }

  expected<void> hold() {
    if (auto begun = db_.run("BEGIN"); !begun)
      return begun;
    held_ = true;
    // The first read fixes the snapshot.
    auto seen = db_.number("SELECT last_seq FROM t_head");
    return seen ? expected<void>{} : seen.error();
  }

private:
  store::connection db_;
  std::string file_;
  bool has_costs_;
  bool has_node_labels_;

  static bool is_sure(const expected<bool>& x) { return x && *x; }
  /// True if one transaction lasts until the reader is gone.
  bool held_ = false;
  bool tells_busy_ = false;
  std::string trial_columns_;
  std::string select_trial_;
  std::string select_head_;
  bool head_is_summed_ = false;
  /// By SQL text; one for each different query.
  std::map<std::string, store::statement> prepared_;

  store::statement* prepared(const std::string& sql) {
    auto known = prepared_.find(sql);
    if (known == prepared_.end()) {
      auto made = store::statement::prepare(db_, sql);
      if (!made)
        return nullptr;
      known = prepared_.emplace(sql, std::move(*made)).first;
    }
    return &known->second;
  }

  error located(const error& what) const { return {what.code, file_ + ": " + what.detail}; }
  error missing(sequence seq) const {
    return {ec::storage,
            file_ + ": event " + std::to_string(seq) + " is missing from t_events and t_results"};
  }
  expected<void> count_trials(status_counts& to);
  expected<std::uint64_t> count_withdrawn();
};

} // namespace tune
