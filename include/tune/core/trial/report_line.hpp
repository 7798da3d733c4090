/// Puts the reports of a trial that trained on without its head before the scheduler one by one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace tune {

/// What attempts say, in order, as far as it has to wait for answers. While its head is away, a
/// trial may train on without the answers to its reports; when the head is back these come at once.
/// Each is passed on only once the one before is answered, so that they are judged as if the trial
/// had waited. Where an answer ends the trial, the reports behind it count for nothing.
///
/// Reports of trials that waited for their answers pass at once.
template <class Word>
class report_line {
public:
  /// What is to be known of a report.
  struct mark {
    /// Its number, from 1.
    std::uint64_t report = 0;
    /// The trial trained on without the answer to it.
    bool trained_on = false;
  };
  struct waiting {
    /// As in `incoming_words`.
    std::uint64_t number = 0;
    Word what;
    /// Empty for what is no report.
    std::optional<mark> of = {};
    /// That of a report, or of what belongs to it; 0: none.
    std::uint64_t iteration = 0;
  };

  /// Whether a report may pass at once; otherwise it is to be added.
  [[nodiscard]] bool passes(const mark& what) {
    // It came before.
    if (what.report <= last_)
      return true;
    const auto waits = last_ > answered_ && (what.trained_on || last_trained_on_);
    if (waits || !line_.empty())
      return false;
    note(what);
    return true;
  }
  /// Whether nothing waits, so that what is no report may pass at once.
  [[nodiscard]] bool is_empty() const { return line_.empty(); }
  /// Whether the report of this iteration waits, so that what belongs to it may not pass.
  [[nodiscard]] bool has(std::uint64_t iteration) const {
    return std::any_of(line_.begin(), line_.end(),
                       [&](const waiting& x) { return x.iteration == iteration; });
  }
  void add(waiting what) { line_.push_back(std::move(what)); }

  /// The report was answered: the trial may go on.
  void answered(std::uint64_t report) { answered_ = report > answered_ ? report : answered_; }

  /// @returns the next one, which passes now; nothing if all have to wait.
  [[nodiscard]] std::optional<Word> next() {
    if (line_.empty() || (line_.front().of && last_ > answered_))
      return std::nullopt;
    auto result = std::move(line_.front());
    line_.pop_front();
    if (result.of)
      note(*result.of);
    return std::move(result.what);
  }

  /// The trial was told to end: its reports that wait are dropped, with what belongs to them.
  /// @returns how many reports.
  std::size_t drop_reports() {
    answered_ = last_;
    const auto all = std::count_if(line_.begin(), line_.end(),
                                   [](const waiting& x) { return x.of.has_value(); });
    std::erase_if(line_, [](const waiting& x) { return x.iteration != 0; });
    return static_cast<std::size_t>(all);
  }

  /// Number of the first word that waits; empty if none does.
  [[nodiscard]] std::optional<std::uint64_t> first() const {
    return line_.empty() ? std::nullopt : std::optional{line_.front().number};
  }

private:
  std::deque<waiting> line_;
  /// Number of the last report that passed, and of the last one that was answered.
  std::uint64_t last_ = 0;
  std::uint64_t answered_ = 0;
  bool last_trained_on_ = false;

  void note(const mark& what) {
    last_ = what.report;
    last_trained_on_ = what.trained_on;
  }
};

} // namespace tune
