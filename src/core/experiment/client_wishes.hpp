/// What clients want of a run as a whole.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tune {

/// Knows which trials may start for all that clients want, which trials they added, and whether
/// people were told that nothing runs.
class client_wishes {
public:
  /// @param gathers Whether nothing starts before clients have said what may.
  void begin_head(bool gathers) {
    told_of_rest_ = narrowed_ = false;
    gathering_ = gathers;
  }
  /// Clients have said what may start. @param only Whether only trials that they asked for run.
  void gathered(bool only) {
    gathering_ = false;
    narrowed_ = only;
  }
  /// @returns whether that changes anything.
  bool suspend(bool to) {
    if (std::exchange(suspended_, to) == to)
      return false;
    told_of_rest_ = false;
    return true;
  }
  /// Something runs, or a client's hold has changed: people are told anew when nothing runs.
  void forget_rest() { told_of_rest_ = false; }
  /// @returns true the first time since `forget_rest`.
  [[nodiscard]] bool is_first_rest() { return !std::exchange(told_of_rest_, true); }
  /// A trial was added. @param key Of the client's request; empty: it cannot be repeated.
  void note_added(const std::string& key, trial_id trial) {
    if (!key.empty())
      added_.emplace(key, trial);
  }

  /// True if nothing more is to be started.
  [[nodiscard]] bool suspended() const { return suspended_; }
  /// True if nothing starts before `on::gathered`.
  [[nodiscard]] bool gathering() const { return gathering_; }
  /// True if only trials run that were asked for under this head.
  [[nodiscard]] bool narrowed() const { return narrowed_; }
  [[nodiscard]] bool told_of_rest() const { return told_of_rest_; }
  /// The trial that an earlier request with this key added.
  [[nodiscard]] std::optional<trial_id> added_by(const std::string& key) const {
    auto known = added_.find(key);
    return known == added_.end() ? std::nullopt : std::optional{known->second};
  }
  [[nodiscard]] const std::map<std::string, trial_id>& added() const { return added_; }

private:
  bool suspended_ = false;
  bool gathering_ = false;
  bool narrowed_ = false;
  bool told_of_rest_ = false;
  std::map<std::string, trial_id> added_;
};

} // namespace tune
