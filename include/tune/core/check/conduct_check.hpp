/// Checks the effects of a run on the outside world while it runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/check/finding.hpp"
#include "tune/core/experiment/command.hpp"
#include "tune/core/resource/ledger.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tune {

/// Watches commands, the disk and the cluster. Checks that nothing is acted on that could still be
/// lost, and that no node ever gives more than it has. Keeps its own books.
class conduct_check {
public:
  /// A command is being carried out.
  void carried(const command& what);
  /// Everything up to `seq` is on disk, no matter who has been told so.
  void on_disk(sequence seq) { on_disk_ = std::max(on_disk_, seq); }
  /// The head was lost; the remaining log ends with event `kept`.
  void head_lost(sequence kept);

  /// A node offers `capacity` from now on; grants made before still count against it.
  void offers(const std::string& node, const resources& capacity);
  void granted(trial_id to, const lease& what);
  /// Does nothing for a lease that was not granted here.
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
  /// The last event whose effect was visible outside.
  sequence seen_ = 0;
  std::map<std::string, account> nodes_;
  std::set<lease_id> granted_;
};

} // namespace tune
