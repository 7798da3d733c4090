/// A recorded experiment under other rules, in virtual time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/simulate/options.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/tuner/choices.hpp"
#include "whatif/recorded_curves.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// A scheduler and its options, as `--scheduler` gives them.
struct scheduler_words {
  std::string type;
  std::vector<named_text> options;
};

/// Reads "asha reduction_factor=3". @errors `ec::bad_syntax`.
[[nodiscard]] expected<scheduler_words> read_scheduler(std::string_view text);

/// How one way of going on beyond the record came out.
struct replayed_run {
  instant took{0};
  instant trained{0};
  std::uint64_t trials = 0;
  std::uint64_t reports = 0;
  /// Of reports that are in the record.
  std::optional<recorded_best> best;
  experiment_status status = experiment_status::done;
  std::string why;
};

/// One set of rules.
struct alternative {
  /// "asha max_t=50", or what tells it from the others.
  std::string name;
  replayed_run ends;
  replayed_run trains_on;
  /// Trials that the rules train beyond their record, and at most so many of their reports.
  std::uint64_t unknown_trials = 0;
  std::uint64_t unknown_reports = 0;
  /// Whether its trials save and restore at no cost, which the record knows nothing about.
  bool pauses = false;

  /// True if the record knows all that these rules would have seen.
  [[nodiscard]] bool is_known() const { return unknown_trials == 0; }
};

/// Replays `run` by the rules of `loaded` on `nodes`.
/// @errors `ec::refused` if the record cannot tell: the scheduler changes configurations; faults of
///         the rules.
[[nodiscard]] expected<alternative> replay_by(const loaded_spec& loaded, std::string name,
                                              const std::shared_ptr<const recorded_run>& run,
                                              const std::vector<simulated_node>& nodes,
                                              const choices& all);

} // namespace tune::cli
