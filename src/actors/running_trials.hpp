/// The trials of a run that have not ended. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace tune {

/// Holds their actors, and what is shown of them. Lives in the state of the runner.
class running_trials {
public:
  running_trials() = default;
  running_trials(const running_trials&) = delete;
  running_trials& operator=(const running_trials&) = delete;
  /// A holder of a trial actor, perhaps an abandoned thread, must not keep the system alive.
  ~running_trials() {
    for (const auto& [id, x] : all_) {
      if (x.actor)
        caf::anon_send_exit(x.actor, caf::exit_reason::user_shutdown);
    }
  }

  /// @param spawn Spawns the actor of a trial.
  void init(std::function<trial_actor(trial_id)> spawn) { spawn_ = std::move(spawn); }

  /// Spawns the trial's actor if there is none.
  void begin(trial_id id) {
    auto& x = all_[id];
    if (!x.actor)
      x.actor = spawn_(id);
  }

  /// Null if there is none.
  [[nodiscard]] trial_actor actor_of(trial_id id) const {
    auto known = all_.find(id);
    return known == all_.end() ? trial_actor{} : known->second.actor;
  }

  template <class Self, class Message>
  void tell(Self* self, trial_id id, const Message& what) const {
    auto known = all_.find(id);
    if (known != all_.end() && known->second.actor)
      send(self, known->second.actor, what);
  }

  void launched(trial_id id, config_ptr config, instant now) {
    auto& x = all_[id];
    x.config = std::move(config);
    x.since = now;
    x.runs = true;
  }

  void reported(const std::shared_ptr<const report>& what) {
    if (auto known = all_.find(what->trial); known != all_.end())
      known->second.last = what;
  }

  /// The trial's status changed. Dismisses its actor at its end.
  template <class Self>
  void changed(Self* self, const cmd::trial_changed& what, instant now) {
    auto known = all_.find(what.trial);
    if (known == all_.end())
      return;
    auto& x = known->second;
    const auto runs = what.status == trial_status::running;
    // The launch follows once this change is on disk.
    if (runs && !x.runs) {
      x.config = what.config;
      x.since = now;
    }
    x.last = what.last;
    x.runs = runs;
    if (!is_final(what.status))
      return;
    // The actor ends after its last messages: an exit message keeps its place in the order.
    self->send_exit(x.actor, caf::exit_reason::user_shutdown);
    all_.erase(known);
  }

  /// Adds those that run, until `to` has `most`.
  void list(std::vector<runner_status::row>& to, std::size_t most) const {
    for (const auto& [id, x] : all_) {
      if (to.size() == most)
        break;
      if (x.runs)
        to.push_back({id, x.config, x.last, x.since});
    }
  }

private:
  struct held_trial {
    trial_actor actor;
    config_ptr config;
    std::shared_ptr<const report> last;
    instant since{0};
    bool runs = false;
  };
  std::map<trial_id, held_trial> all_;
  std::function<trial_actor(trial_id)> spawn_;
};

} // namespace tune
