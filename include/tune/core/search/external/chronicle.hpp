/// The history of an experiment as an external searcher is told it, in order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tune::external {

/// One entry of the history.
struct episode {
  enum class kind : std::uint8_t {
    /// The process's answer became a trial.
    suggested,
    /// The process answered with `wait`.
    waited,
    ended_search,
    /// A trial that the process did not suggest.
    added,
    /// A trial reported.
    reported,
    /// A trial ended.
    completed,
  };

  kind what = kind::suggested;
  /// Number of the answered question.
  std::uint64_t ask = 0;
  trial_id trial;
  /// Null if the configuration is the one that was told last.
  config_ptr config;
  /// For `added`: "points", "client" or "known".
  std::string from;
  /// For reports and ends: 0 and empty if the trial has not reported.
  std::uint64_t iteration = 0;
  /// The objectives, larger is better.
  std::vector<double> values;
  std::vector<double> constraints;
  outcome how = outcome::running;
};

using episode_ptr = std::shared_ptr<const episode>;
/// The episodes before a question, or those still to be told: shared, and cheap to copy.
using past = std::vector<episode_ptr>;

/// Collects episodes from facts.
///
/// An answer is placed where its question was asked, however late it came: a process that is told
/// everything again hears it in the order in which the first one experienced it.
class chronicle {
public:
  /// @param keeps_reports Whether reports are told; otherwise only ends.
  explicit chronicle(bool keeps_reports) : keeps_reports_{keeps_reports} {}

  void apply(const searcher_fact& what);

  /// The episodes up to `at`, in order.
  [[nodiscard]] past until(sequence at) const;
  [[nodiscard]] past whole() const;

  /// Number of trials suggested so far, points included.
  [[nodiscard]] std::uint64_t suggested() const { return suggested_; }

  void describe(fingerprint& into) const;

private:
  struct entry {
    sequence at = 0;
    episode_ptr what;
  };

  bool keeps_reports_;
  std::vector<entry> entries_;
  /// Trials with their configuration that was told last.
  std::map<trial_id, config_ptr> known_;
  std::uint64_t suggested_ = 0;
  fingerprint heard_;

  void take(sequence at, const suggested_fact& what);
  void take(sequence at, const observation& what);
  void take(sequence at, std::uint64_t ask, trial_id trial, const suggestion& what);
  void insert(sequence at, episode what);
};

} // namespace tune::external
