/// All trials of an experiment in short, kept in memory: what lists, histories and charts of very
/// many trials are made of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/constraints.hpp"
#include "tune/core/experiment/planned_trials.hpp"
#include "tune/core/experiment/run_book.hpp"
#include "tune/core/experiment/settings.hpp"
#include "tune/io/store/scan_rows.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// How trials of an experiment are compared.
struct comparing_rules {
  /// [>= 1]
  std::vector<objective> objectives;
  constraint_list constraints;
  repeat_rule repeats;
};

/// One trial.
struct trial_line {
  trial_id trial;
  trial_status status = trial_status::pending;
  /// Withdrawn before it began: such trials do not count.
  bool withdrawn = false;
  /// Stopped by a report that came only as it ended: nothing was saved.
  bool ran_its_course = false;
  /// Ended by its own last report, although its program was told to end.
  bool said_it_is_done = false;
  /// Runs again to confirm a result of the search.
  bool confirms = false;
  /// A client added it.
  bool added = false;
  std::uint32_t failures = 0;
  std::uint64_t iterations = 0;
  std::uint64_t best_iteration = 0;
  std::chrono::nanoseconds time_total{0};
  instant created{0};
  std::optional<instant> ended;
  /// Of its best report; NaN where that has no number for the first objective.
  merit how;
  /// The event at which it was seen last that the line had changed.
  sequence changed = 0;

  /// Whether what is shown of trials is the same.
  [[nodiscard]] bool looks_like(const trial_line& x) const {
    return status == x.status && withdrawn == x.withdrawn && failures == x.failures
           && iterations == x.iterations && best_iteration == x.best_iteration
           && time_total == x.time_total && ended == x.ended;
  }
};

/// A value of one parameter or metric per trial: a number, a text, or nothing.
class column {
public:
  struct cell {
    /// NaN where it is no number.
    double number = std::numeric_limits<double>::quiet_NaN();
    /// Place in `texts()`; negative where it is no text.
    std::int32_t text = -1;
  };
  /// Longest text that is kept; the rest is cut off. [bytes]
  static constexpr std::size_t longest_text = 100;

  [[nodiscard]] const cell& at(std::size_t place) const { return cells_[place]; }
  [[nodiscard]] const std::string& text_of(const cell& x) const {
    return texts_[static_cast<std::size_t>(x.text)];
  }
  [[nodiscard]] bool has_value(std::size_t place) const {
    return cells_[place].text >= 0 || cells_[place].number == cells_[place].number;
  }
  /// Different texts, in the order in which they came.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }
  /// -1, 0, 1; what has no value comes after all that have one, texts after numbers.
  [[nodiscard]] int compare(std::size_t x, std::size_t y) const;

  /// Sets a value by the text of its JSON; empty: there is none.
  void set(std::size_t place, std::string_view json, bool is_metric);
  /// NaN: there is none.
  void set_number(std::size_t place, double x) { cells_[place] = {x, -1}; }
  void insert(std::size_t place) {
    cells_.insert(cells_.begin() + static_cast<std::ptrdiff_t>(place), cell{});
  }
  void resize(std::size_t size) { cells_.resize(size); }

private:
  std::vector<cell> cells_;
  std::vector<std::string> texts_;
  std::map<std::string, std::int32_t, std::less<>> places_;
};

/// The text by which a column knows a value that is no number; of lists and objects their JSON.
[[nodiscard]] std::string text_in_column(const value& x);

/// What a column shows.
struct column_name {
  enum class kind : std::uint8_t {
    /// A parameter, by its dotted name: as at the trial's best report, else as it is now.
    parameter,
    /// A metric of the last report, and of the best one.
    last,
    best,
    /// A metric's mean over all reports, over the last 5, over the last 10, the least, the most.
    average,
    last_5,
    last_10,
    least,
    most
  };
  kind what = kind::parameter;
  std::string name;
  friend auto operator<=>(const column_name&, const column_name&) = default;

  /// Whether its values come from all reports of a trial, and not from its row.
  [[nodiscard]] bool is_joined() const { return what >= kind::average; }
};

/// The trials, in the order of their numbers.
class trial_table {
public:
  /// Looks a metric up that the runtime adds to a report of a trial, and that is not among its own
  /// metrics. The kind is `best` or `last`.
  using automatic = std::function<std::optional<double>(const raw_trial&, const column_name&)>;

  explicit trial_table(comparing_rules by) : by_{std::move(by)}, runs_{by_.repeats} {}

  /// Adds a trial, or replaces what is known of it. @param at The event up to which it was read.
  void read(const raw_trial& x, sequence at, const automatic& look_up = {});

  [[nodiscard]] const comparing_rules& by() const { return by_; }
  [[nodiscard]] const std::vector<trial_line>& lines() const { return lines_; }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  /// The place of a trial in `lines()`; empty if it is not known.
  [[nodiscard]] std::optional<std::size_t> place_of(trial_id trial) const;
  /// Objective number `i` of the best report of a trial; NaN where it has none.
  [[nodiscard]] double objective(std::size_t place, std::size_t i) const {
    return values_[place * by_.objectives.size() + i];
  }
  /// Trials by status, without those withdrawn.
  [[nodiscard]] std::array<std::uint64_t, trial_status_count> counts() const;
  [[nodiscard]] std::uint64_t withdrawn() const;
  [[nodiscard]] const made_trials& made() const { return made_; }
  /// The place of the best trial by `is_better`, the first among equals. Empty if none has a
  /// number.
  [[nodiscard]] std::optional<std::size_t> best() const;

  /// The runs of each configuration; empty where configurations run once.
  [[nodiscard]] const run_book& runs() const { return runs_; }

  /// Columns are read with the trials from the time they are begun; trials read before have no
  /// value there until they are read again. Null: not begun.
  [[nodiscard]] const column* find(const column_name& which) const;
  void begin(const column_name& which);
  /// The value of a trial in a joined column, which was begun.
  void set_joined(const column_name& which, std::size_t place, double x) {
    columns_.at(which).set_number(place, x);
  }
  void drop_columns() { columns_.clear(); }
  /// The names of all columns that were begun.
  [[nodiscard]] std::vector<column_name> columns() const;
  [[nodiscard]] std::size_t column_count() const { return columns_.size(); }
  /// Most columns that should be kept.
  static constexpr std::size_t most_columns = 48;

private:
  comparing_rules by_;
  run_book runs_;
  std::vector<trial_line> lines_;
  made_trials made_;
  std::vector<double> values_;
  std::map<column_name, column> columns_;

  std::size_t make_room(trial_id trial);
  void count(const trial_line& x, int by);
  void note_run(const raw_trial& x, const merit& how);
  void read_values(std::size_t place, const raw_trial& x, const automatic& look_up);
};

} // namespace tune::cli
