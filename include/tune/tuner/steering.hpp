/// Steers a running experiment from any thread of the program that runs it.
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

/// A handle to whatever experiment its `tuner` is running. Copies are equivalent; it may outlive
/// the tuner. All members may be called from any thread, also from a `tuner_callback`.
///
/// Requests are handled like those that come through the experiment's control socket, by
/// docs/control-protocol.md: they become part of the record, and each member returns once the
/// answer is on disk. The result of a request is an `order_verdict`; one that cannot be granted, of
/// kind `unknown` or `refused`, is no error.
///
/// @errors of all members: `ec::unreachable` if no experiment is under way, which is also so before
///         the first trial could begin, after the end, and if it ends meanwhile; `ec::timeout` if
///         it does not answer within a minute; `ec::storage` if its record failed.
class steering {
public:
  /// For `tuner::steer`.
  explicit steering(std::shared_ptr<steering_link> link) : link_{std::move(link)} {}

  /// Has a configuration tried in addition to those of the searcher; constants alone may be left
  /// out of it, as with `tune-node add`. `trial` of the verdict is the new trial.
  /// @param key Identifies the request, so that it is granted once however often it is repeated;
  ///         empty: each call counts. [<= `longest_control_key` bytes]
  /// @errors `ec::bad_option` with parameter and range if the configuration does not lie in the
  ///         space.
  [[nodiscard]] expected<order_verdict> add(object config, std::string key = {});

  /// Ends a trial in order, with its last report and checkpoint.
  [[nodiscard]] expected<order_verdict> stop(trial_id trial);
  /// Ends all trials, and the experiment with them.
  [[nodiscard]] expected<order_verdict> stop();
  /// Makes a trial give its resources back until `unpause`; a trial that can save does so first.
  [[nodiscard]] expected<order_verdict> pause(trial_id trial);
  /// Starts no further trials until `unpause`; running ones go on.
  [[nodiscard]] expected<order_verdict> pause();
  /// Lifts a pause.
  [[nodiscard]] expected<order_verdict> unpause(trial_id trial);
  [[nodiscard]] expected<order_verdict> unpause();
  /// Runs a trial again that has ended, from its newest checkpoint, or from the beginning.
  [[nodiscard]] expected<order_verdict> retry(trial_id trial, bool from_scratch = false);

  /// Sends any request of the control socket: about several trials at once, or for the status.
  /// @errors `ec::bad_option` if it exceeds the limits of `control_request`.
  [[nodiscard]] expected<control_answer> order(const control_request& what);

  /// All trials so far, by number, from the record, which includes everything that earlier answers
  /// said. After the end, the trials of the last experiment.
  [[nodiscard]] expected<std::vector<trial_result>> trials() const;
  /// Whether one more trial of this experiment would find its resources free at this moment: the
  /// amounts that it asks for are free on all nodes together, and some node could hold it. Asking
  /// reserves nothing, and on several nodes the free resources may lie in pieces that are too
  /// small.
  [[nodiscard]] expected<bool> has_resources() const;
  /// Like `has_resources()`, but for another request: free resources count on all nodes, whatever
  /// they can run.
  [[nodiscard]] expected<bool> has_resources(const resource_request& what) const;

private:
  std::shared_ptr<steering_link> link_;

  [[nodiscard]] expected<order_verdict> one(const control_request& what);
};

} // namespace tune
