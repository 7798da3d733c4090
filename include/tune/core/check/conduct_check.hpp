/// Checks what a run does to the outside, while it does it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/check/finding.hpp"
#include "tune/core/experiment/command.hpp"
#include "tune/core/resource/ledger.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace tune {

/// Watches commands, the disk and the cluster: nothing is acted on that could still be lost, and no
/// node ever gives more than it has. Its books are its own.
class conduct_check {
public:
  /// A command is carried out now.
  void carried(const command& what);
  /// Everything up to `seq` is on the disk, whatever anybody was told.
  void on_disk(sequence seq) { on_disk_ = std::max(on_disk_, seq); }
  /// The head was lost; the log that is left ends with event `kept`.
  void head_lost(sequence kept);

  /// A node offers this much from now on; none of it is granted unless it was before.
  void offers(const std::string& node, const resources& capacity);
  void granted(trial_id to, const lease& what);
  void given_back(const lease& what);
  /// All grants are void: another head keeps the books.
  void nothing_granted();

  [[nodiscard]] const findings& found() const { return found_; }

private:
  struct account {
    resources capacity;
    resources used;
  };

  findings found_;
  sequence on_disk_ = 0;
  /// The last event that somebody outside has seen the effect of.
  sequence seen_ = 0;
  std::map<std::string, account> nodes_;
};

} // namespace tune
