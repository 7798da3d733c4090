/// Steers an experiment that runs, from any thread of the program that runs it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/io/control/control_words.hpp"
#include "tune/tuner/result_grid.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

class steering_link;

/// A handle to whatever experiment its `tuner` has under way. Copies mean the same; it may outlive
/// the tuner. All members may be called from any thread, also from a `tuner_callback`.
///
/// Wishes go the way of those that come through the experiment's control socket, by
/// docs/control-protocol.md: they are part of the record, and each member returns once the
/// answer is on disk. What becomes of a wish is an `order_verdict`; one that cannot be granted, of
/// kind `unknown` or `refused`, is no error.
///
/// @errors of all members: `ec::unreachable` where no experiment is under way, which is so before
///         the first trial could begin, after the end, and where it ends meanwhile; `ec::timeout`
///         where it does not answer within a minute; `ec::storage` where its record failed.
class steering {
public:
  /// For `tuner::steer`.
  explicit steering(std::shared_ptr<steering_link> link) : link_{std::move(link)} {}

  /// Has a configuration tried beside those of the searcher; parameters that it leaves out have
  /// their defaults, as of `tune-node add`. `trial` of the verdict is the new trial.
  /// @param key Names the wish, so that it is granted once however often it is repeated; empty:
  ///            each call counts. [<= `longest_control_key` bytes]
  /// @errors `ec::bad_option` with parameter and range where it does not lie in the space.
  [[nodiscard]] expected<order_verdict> add(object config, std::string key = {});

  /// Ends a trial in order, with its last report and checkpoint.
  [[nodiscard]] expected<order_verdict> stop(trial_id trial);
  /// Ends all trials, and the experiment with them.
  [[nodiscard]] expected<order_verdict> stop();
  /// Has a trial give its resources back until `unpause`; where it can save, it does so first.
  [[nodiscard]] expected<order_verdict> pause(trial_id trial);
  /// Starts no further trial until `unpause`; those that run go on.
  [[nodiscard]] expected<order_verdict> pause();
  /// Takes `pause` back.
  [[nodiscard]] expected<order_verdict> unpause(trial_id trial);
  [[nodiscard]] expected<order_verdict> unpause();
  /// Runs a trial again that has ended, from its newest checkpoint, or from the beginning.
  [[nodiscard]] expected<order_verdict> retry(trial_id trial, bool from_scratch = false);

  /// Any request of the control socket: several trials at once, or the status.
  /// @errors `ec::bad_option` where it breaks the limits of `control_request`.
  [[nodiscard]] expected<control_answer> order(const control_request& what);

  /// All trials so far, by number, as the record has them: what an answer told is among it. After
  /// the end, those of the last experiment.
  [[nodiscard]] expected<std::vector<trial_result>> trials() const;
  /// Whether one more trial of this experiment would find its resources free at this moment: what
  /// it asks for is free on all nodes together, and some node could hold it. Nothing is reserved by
  /// asking, and on several nodes what is free may lie in pieces that are too small.
  [[nodiscard]] expected<bool> has_resources() const;
  /// The same for another request: what is free counts on all nodes, whatever they can run.
  [[nodiscard]] expected<bool> has_resources(const resource_request& what) const;

private:
  std::shared_ptr<steering_link> link_;

  [[nodiscard]] expected<order_verdict> one(const control_request& what);
};

} // namespace tune
