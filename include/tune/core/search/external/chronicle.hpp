/// What an external searcher is told of an experiment, in the order in which it is told.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tune::external {

/// One thing to tell.
struct episode {
  enum class kind : std::uint8_t {
    /// The process's answer became a trial.
    suggested,
    /// It answered with `wait`, or with `none`.
    waited,
    ended_search,
    /// A trial that it did not suggest.
    added,
    /// A trial reported.
    reported,
    /// A trial came to its end.
    completed,
  };

  kind what = kind::suggested;
  /// Number of the question that was answered.
  std::uint64_t ask = 0;
  trial_id trial;
  /// Null where it is the one that was told last.
  config_ptr config;
  /// Of `added`: "points" or "client".
  std::string from;
  /// Of reports and ends: 0 and empty where the trial has not reported.
  std::uint64_t iteration = 0;
  /// The objectives, larger is better.
  std::vector<double> values;
  std::vector<double> constraints;
  outcome how = outcome::running;
};

using episode_ptr = std::shared_ptr<const episode>;
/// What was told before a question, or is to be told: shared, and cheap to copy.
using past = std::vector<episode_ptr>;

/// Collects episodes from facts.
///
/// An answer stands where its question was asked, however late it came: so a process that is told
/// all of it again hears it in the order in which it lived through it.
class chronicle {
public:
  /// @param keeps_reports Whether reports are told, and not ends alone.
  explicit chronicle(bool keeps_reports) : keeps_reports_{keeps_reports} {}

  void apply(const searcher_fact& what);

  /// What happened up to then, in order.
  [[nodiscard]] past until(sequence at) const;
  [[nodiscard]] past whole() const;

  /// Trials that were suggested so far, points included.
  [[nodiscard]] std::uint64_t suggested() const { return suggested_; }

  void describe(fingerprint& into) const;

private:
  struct entry {
    sequence at = 0;
    episode_ptr what;
  };

  bool keeps_reports_;
  std::vector<entry> entries_;
  /// Trials by the configuration that was told last.
  std::map<trial_id, config_ptr> known_;
  std::uint64_t suggested_ = 0;
  fingerprint heard_;

  void take(sequence at, const suggested_fact& what);
  void take(sequence at, const observation& what);
  void take(sequence at, std::uint64_t ask, trial_id trial, const suggestion& what);
  void insert(sequence at, episode what);
};

} // namespace tune::external
