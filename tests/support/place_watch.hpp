/// How long free places wait for the searcher, told from a log without the machine's bookkeeping.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/command.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/core/experiment/settings.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>

namespace tune::support {

/// Watches how long free places wait for the searcher. To raise no false alarm it takes a place for
/// free only while all trials run, fewer than ran at once under this head on these nodes, none
/// waits for resources, not even to export after its end, and nobody has interfered.
class place_watch {
public:
  explicit place_watch(const experiment_settings& settings)
      : patience_{settings.draft_patience}
      , draws_at_once_{settings.drafts == drafting::thorough && !settings.repeats.is_on()
                       && settings.max_pending == 0 && patience_.count() > 0} {}

  void see(const event& what, std::span<const command> commands) {
    std::visit([this](const auto& x) { take(x); }, what.what);
    for (const auto& x : commands)
      std::visit([this](const auto& y) { note(y); }, x.what);
    most_running_ = std::max(most_running_, running_.size());
    auto is_free = draws_at_once_ && !disturbed_ && is_asked_ && !is_choosing_ && running_ == live_
                   && waiting_.empty() && running_.size() < most_running_;
    if (!is_free)
      free_since_.reset();
    else if (!free_since_)
      free_since_ = what.at;
    waited_too_long_ = free_since_ && what.at > *free_since_ + patience_;
  }
  /// Whether a place has waited for longer than it may, and the last event changed nothing of that.
  /// Heads that stand still for a while are late with everything.
  [[nodiscard]] bool waited_too_long() const { return waited_too_long_; }

private:
  std::chrono::nanoseconds patience_;
  bool draws_at_once_;
  bool disturbed_ = false;
  /// A question is open whose answer may take its time.
  bool is_asked_ = false;
  bool is_choosing_ = false;
  bool waited_too_long_ = false;
  std::set<trial_id> live_;
  std::set<trial_id> running_;
  /// Trials that wait for resources.
  std::set<trial_id> waiting_;
  /// Nodes that each trial began on last.
  std::map<trial_id, std::set<std::string>> nodes_;
  std::size_t most_running_ = 0;
  std::optional<instant> free_since_;
  /// Number of the last question.
  std::uint64_t asked_ = 0;

  template <class What>
  void take(const What&) {}
  void take(const on::opened&) {
    running_.clear();
    most_running_ = 0;
    disturbed_ = is_asked_ = is_choosing_ = false;
  }
  void take(const on::node_down& x) {
    most_running_ = 0;
    std::erase_if(running_, [&](trial_id id) { return nodes_[id].contains(x.node); });
  }
  void take(const on::node_leaving&) { disturbed_ = true; }
  void take(const on::stop_asked& x) { disturbed_ = disturbed_ || !x.trial; }
  void take(const on::pause_asked& x) { disturbed_ = disturbed_ || !x.trial; }
  void take(const on::interrupted&) { disturbed_ = true; }
  void take(const on::gathered& x) { disturbed_ = disturbed_ || x.only; }
  void take(const on::suggest_asked& x) {
    is_asked_ = !x.trial && x.drafts == drafting::thorough;
    asked_ = x.ask;
  }
  void take(const on::suggested& x) { is_asked_ = is_asked_ && x.ask != asked_; }
  void take(const on::chosen&) { is_choosing_ = false; }
  void take(const on::place_refused& x) { waiting_.erase(x.trial); }
  void take(const on::placed& x) {
    waiting_.erase(x.trial);
    running_.insert(x.trial);
    nodes_[x.trial].clear();
    for (const auto& bundle : x.what.bundles)
      nodes_[x.trial].insert(bundle.node);
  }
  void take(const on::ended& x) { running_.erase(x.trial); }

  template <class Command>
  void note(const Command&) {}
  void note(const cmd::choose&) { is_choosing_ = true; }
  void note(const cmd::place& x) { waiting_.insert(x.trial); }
  void note(const cmd::cancel_place& x) { waiting_.erase(x.trial); }
  void note(const cmd::log& x) {
    if (const auto* asked = std::get_if<on::suggest_asked>(&x.what))
      take(*asked);
  }
  void note(const cmd::tell_scheduler& x) {
    if (const auto* added = std::get_if<fact::added>(&x.what.what))
      live_.insert(added->trial);
    else if (const auto* ended = std::get_if<fact::ended>(&x.what.what))
      live_.erase(ended->trial);
  }
};

} // namespace tune::support
