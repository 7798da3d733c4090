/// How trials came to their ends, by their last attempts and the decisions on them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/io/store/store_reader.hpp"
#include "view/retry_track.hpp"

#include <map>

namespace tune::cli {

/// Tells the trials that came to an end of their own, or that a rule ended, from those that ended
/// from outside: by a client, or with the whole experiment.
class ways_of_ending {
public:
  /// Reads all trials. Of one that was to run again its end after that counts. @errors as those of
  /// `from`.
  [[nodiscard]] static expected<ways_of_ending> read(store_reader& from, const retry_map& again);

  /// Whether a trial that is terminated ended from outside; also one that never ran.
  [[nodiscard]] bool is_cut_off(trial_id trial) const;

private:
  /// Of each trial that began whether its last attempt came to no end of its own, and no rule had
  /// ended it.
  std::map<trial_id, bool> cut_off_;
};

/// The same for one trial. @param again Null: it was never to run again. @errors as those of
/// `from`.
[[nodiscard]] expected<bool> is_cut_off(store_reader& from, trial_id trial,
                                        const last_retry* again);

} // namespace tune::cli
