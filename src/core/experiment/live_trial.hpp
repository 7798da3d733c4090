/// A trial that has not ended, as the state machine knows it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "failure_record.hpp"
#include "open_attempt.hpp"

#include "tune/core/experiment/experiment.hpp"
#include "tune/core/trial/costs.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// How a trial comes back to the queue.
enum class comeback : std::uint8_t { last, where_it_stood, from_scratch };

/// Exploit to apply to its target once the target's attempt has ended.
struct pending_exploit {
  trial_id donor;
  checkpoint_id from;
  config_ptr config;
};

/// A donor's state that a trial has taken over, and not trained from yet.
struct untried_exploit {
  trial_id donor;
  checkpoint_id from;
  /// The trial's configuration before.
  config_ptr before;
};

/// Work left for a trial that has come to its end: its export, or the checkpoint it was to end
/// with. For scheduler and searcher the trial has ended.
struct open_end {
  std::string reason;
  fact::end_kind kind = fact::end_kind::completed;
  /// Iteration at which the trial came to its end.
  std::uint64_t at = 0;
  /// Reason why no attempt can do that work; empty while one still may.
  std::string given_up = {};
};

/// The last report of a trial.
struct last_report {
  /// Null: there is none.
  std::shared_ptr<const report> what;
  /// Those that it was reported with; the trial may have others by now.
  config_ptr config;
  lineage_id lineage = 1;
  /// True if it was shown to the scheduler as a result.
  bool is_judged = false;
};

/// A configuration that may still be replaced when its trial is granted resources.
struct trial_draft {
  /// Empty: it no longer may.
  std::optional<drafting> kind;
  /// The question at which it was drawn.
  sequence drawn_at = 0;
  /// Time since which a place had waited for a model when this was drawn; empty: none had waited.
  std::optional<instant> place_free_since;
  /// Lease held while the draft is reconsidered; the trial still awaits one.
  std::optional<lease> granted;
  /// True if the configuration is no longer the one that the scheduler was told of.
  bool is_redrawn = false;
};

/// A pause that the scheduler wants and that has not come about yet.
struct due_pause {
  /// An attempt that starts from before this iteration pauses there, too. 0: none is due.
  std::uint64_t at = 0;
  /// Configuration up to `at`, where the trial's own applies only after it: an attempt that starts
  /// from before it runs with this one. Null: the trial's own applies throughout.
  config_ptr config_before;
};

/// The best that a trial has reported.
struct trial_best {
  /// Null after the trial came back from its end, until it reports something better.
  std::shared_ptr<const report> what;
  std::optional<merit> how;
  /// True if any report had a number for the first objective; NaN and infinity are numbers.
  bool has_number = false;
};

/// A trial's request for resources.
struct placement_request {
  resource_request request;
  /// True if no node could grant `request` when it was asked for.
  bool was_refused = false;
  /// True if a lease was ever granted.
  bool was_placed = false;
  /// Time at which the trial last asked for a lease.
  instant wished_at{0};
  /// Position in the order of requests: a head that goes on asks in the same order.
  std::uint64_t number = 0;
};

/// The end that was decided for a trial.
struct due_end {
  /// Why it must end; empty: it need not.
  std::string why;
  /// How the scheduler is told.
  fact::end_kind kind = fact::end_kind::completed;
};

/// The state of other trials that a trial takes over.
struct trial_exploits {
  /// To be applied once the attempt has ended.
  std::optional<pending_exploit> due;
  /// From an exploit to the first report after it.
  std::optional<untried_exploit> untried;
};

/// A trial that has not ended.
struct live_trial {
  trial_id id;
  config_ptr config;
  std::string origin;
  /// Event that created the trial.
  sequence born = 0;
  lineage_id lineage = 1;
  /// Highest iteration seen in this lineage: up to here reports are repeats.
  std::uint64_t high_water = 0;
  /// Highest iteration in this lineage that was judged.
  std::uint64_t judged = 0;
  /// Event that showed the scheduler the trial's last result.
  sequence shown = 0;
  due_pause pause;
  failure_record failures;
  last_report last;
  /// True if a checkpoint was wanted and none has come since.
  bool lacks_checkpoint = false;
  trial_best best;
  std::vector<checkpoint_id> checkpoints;
  /// Checkpoint that the trial paused with, if it lies in a node's memory: the next attempt goes on
  /// from it if it runs on that node. Not one of `checkpoints`, which are what counts after an
  /// error.
  checkpoint_id aside;
  placement_request place;
  trial_draft draft;
  /// True if the searcher drew the trial and no client has asked for it since.
  bool suggested = false;
  /// True if the trial confirms what the search has found: no scheduler judges it.
  bool confirms = false;
  std::optional<open_attempt> attempt;
  due_end must_end;
  trial_exploits exploits;
  std::optional<open_end> end;
  /// What its attempts that are over have cost.
  cost_sheet costs;
};

} // namespace tune
