/// For whom trials were asked to pause, so that the record of their attempts says so.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/command.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/core/experiment/experiment.hpp"
#include "tune/core/experiment/made_room.hpp"

#include <map>
#include <string>
#include <utility>

namespace tune {

/// A value. It holds a note for each trial that was asked and has not ended its attempt.
class room_notes {
public:
  /// The attempt was asked to pause. @param for_whom As in `made_room_text`.
  void asked(trial_id trial, attempt_id attempt, std::string for_whom) {
    notes_[trial] = {attempt, std::move(for_whom)};
  }

  /// If the event is the end of such an attempt, and it ended as it was told to, the event says for
  /// whom; not where the attempt was told more than to pause: to stop, or to take over a
  /// checkpoint.
  /// @param of Has not heard of the event.
  void explain(event_body& what, const experiment& of) {
    auto* over = std::get_if<on::ended>(&what);
    if (over == nullptr)
      return;
    const auto note = notes_.extract(over->trial);
    if (note.empty() || note.mapped().first != over->attempt)
      return;
    const auto known = of.notes_on(over->trial);
    if (!known || !known->is_to_pause)
      return;
    const auto is_as_told = over->how == end_class::paused || over->how == end_class::stopped;
    if (is_as_told && (over->detail.empty() || over->detail == to_text(over->how)))
      over->detail = made_room_text(note.mapped().second);
  }

private:
  std::map<trial_id, std::pair<attempt_id, std::string>> notes_;
};

/// For whom an attempt has paused that is over; empty: for nobody.
[[nodiscard]] inline std::string room_made_by(const cmd::attempt_changed& what) {
  const auto has_paused = what.finished && what.how == end_class::paused;
  return has_paused ? std::string{made_room_for(what.detail)} : std::string{};
}

} // namespace tune
