/// Makes the record of an experiment of any size through the store that heads write with, for tests
/// and benchmarks of those who read it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/spec.hpp"
#include "tune/io/store/experiment_store.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tune::support {

/// The shape of the record.
struct growth {
  std::uint64_t trials = 10;
  /// Of a trial that is not stopped. [>= 1]
  std::uint64_t reports = 9;
  /// Each report that is `stop_at`th is judged like a rung of ASHA: of trials whose number is no
  /// multiple of three the second half of a dozen is stopped there. 0 = never.
  std::uint64_t stop_at = 3;
  /// Every trial of this number fails. 0 = none.
  std::uint64_t fails_each = 0;
  /// Events of one transaction.
  std::size_t batch = 2000;
  /// Trials that are not stopped fail after their last report.
  bool fails_late = false;
};

/// The experiment that such records are of: minimises `loss`, knows `lr`, `layers`, `optimizer`.
[[nodiscard]] spec grown_spec(const std::string& name);

/// Writes an experiment step by step. Ends the program if the store refuses.
class grown_record {
public:
  grown_record(const std::filesystem::path& directory, growth how, const spec& what);

  /// Writes all trials to their ends; the experiment goes on.
  void write_all();
  /// Begins a trial that goes on.
  void begin_trial();
  /// Another report of the trial that was begun last.
  void report_once();
  /// Its last report once more, as after a loss.
  void report_again();
  /// Ends the trial that was begun last, as a client does.
  void end_from_outside();
  /// A client wants the trial that was begun last, and has ended, to run again, and stops it while
  /// it waits for its turn.
  void retry_and_stop();
  /// Writes what is not written yet.
  void flush();
  void finish();

  /// The loss that a trial reports. [the less, the later]
  [[nodiscard]] static double loss_of(std::uint64_t trial, std::uint64_t iteration);
  /// Whether the trial is stopped at `growth::stop_at`.
  [[nodiscard]] static bool is_stopped(std::uint64_t trial);
  [[nodiscard]] sequence last_seq() const { return seq_; }

private:
  growth how_;
  experiment_store store_;
  std::vector<store_item> items_;
  std::size_t events_ = 0;
  sequence seq_ = 0;
  std::uint64_t next_ = 0;
  cmd::trial_changed row_;
  cmd::attempt_changed attempt_;

  sequence post(event_body what);
  void report_at(std::uint64_t iteration);
  void decide_stop(sequence cause);
  void end_trial(end_class how, const std::string& reason);
  void write_trial();
};

} // namespace tune::support
