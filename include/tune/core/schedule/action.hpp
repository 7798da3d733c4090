/// Answers of schedulers: actions on any trial, each with its reason.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tune {

/// Go on training. Reports up to and including iteration `until` need no verdict of their own;
/// 0 means just the next one.
struct go_on {
  std::uint64_t until = 0;
  friend bool operator==(const go_on&, const go_on&) = default;
};
/// Save a checkpoint, give the resources back, wait to be allowed on. A trial whose checkpoints
/// come with its reports pauses at the first report that brings one; until then it is judged as
/// before. (Not named `pause`, since POSIX has a function of that name, whose header users of this
/// namespace may include.)
struct pause_trial {
  friend bool operator==(const pause_trial&, const pause_trial&) = default;
};
/// End the trial.
struct stop {
  /// True if the trial has trained for as long as trials are to (`max_t`): it is complete, with a
  /// checkpoint and exports at its end if these are wanted. Otherwise it is given up, and gets
  /// neither.
  bool completes = false;
  friend bool operator==(const stop&, const stop&) = default;
};
/// A paused trial may run again.
struct allow {
  friend bool operator==(const allow&, const allow&) = default;
};
/// Save a checkpoint and go on.
struct save {
  friend bool operator==(const save&, const save&) = default;
};
/// Clone `donor`'s checkpoint into the trial and go on with `config`: a new lineage.
struct exploit {
  trial_id donor;
  checkpoint_id from;
  config_ptr config;
  friend bool operator==(const exploit& x, const exploit& y);
};
/// Change the configuration from the next attempt on.
struct reconfigure {
  config_ptr config;
  friend bool operator==(const reconfigure& x, const reconfigure& y);
};
/// Change the resources of a trial that does not run, or was told to pause: its next attempt asks
/// for `request`.
struct set_resources {
  resource_request request;
  friend bool operator==(const set_resources&, const set_resources&) = default;
};
/// Write a note into the trial's record: rung, bracket, budget.
struct annotate {
  object notes;
  friend bool operator==(const annotate&, const annotate&) = default;
};

using action_body = std::variant<go_on, pause_trial, stop, allow, save, exploit, reconfigure,
                                 set_resources, annotate>;

/// One action on one trial, and its reason.
struct action {
  trial_id trial;
  action_body what;
  /// Facts behind the decision: `rule`, `rung`, `rank`, `cutoff`, … Empty for an ordinary go-on.
  object reason;
  friend bool operator==(const action&, const action&) = default;
};

/// "go_on", "pause", "stop", "allow", "save", "exploit", "reconfigure", "set_resources",
/// "annotate".
[[nodiscard]] std::string_view name_of(const action_body& x);

/// The answer to one question: the event it is about, and the actions to take.
struct decision {
  /// The `seq` of the judged report, or of the event after which everything stood still.
  sequence cause = 0;
  std::vector<action> actions;
  friend bool operator==(const decision&, const decision&) = default;
};

/// The answer to "which trials shall run next?".
struct choice {
  /// The `seq` at which the choice was computed.
  sequence at = 0;
  /// Trials to place, most urgent first; pending, or paused and allowed on.
  std::vector<trial_id> start;
  friend bool operator==(const choice&, const choice&) = default;
};

} // namespace tune
