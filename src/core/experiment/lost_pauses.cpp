// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/lost_pauses.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tune {

namespace {

std::string turn_of(lost_pauses::turn when, bool is_one) {
  switch (when) {
    case lost_pauses::turn::at_once:
      return "at once";
    case lost_pauses::turn::when_there_is_room:
      return "as soon as there is room";
    case lost_pauses::turn::if_chosen:
      return is_one ? "if the scheduler chooses it again" : "if the scheduler chooses them again";
    case lost_pauses::turn::when_unpaused:
      return is_one ? "once a client unpauses it" : "once clients unpause them";
  }
  return {};
}

} // namespace

std::string lost_pauses::names() const {
  constexpr std::size_t most_named = 5;
  std::string result;
  for (std::size_t i = 0; i < lost_.size() && i < most_named; ++i)
    result += (i == 0 ? "" : ", ") + to_text(lost_[i].trial);
  if (lost_.size() > most_named)
    result += " and " + std::to_string(lost_.size() - most_named) + " more";
  return result;
}

/// What they go on from.
std::string lost_pauses::start_text() const {
  const auto saved = static_cast<std::size_t>(
      std::count_if(lost_.begin(), lost_.end(), [](const loss& x) { return x.has_checkpoint; }));
  if (saved == 0)
    return "from scratch";
  if (saved == lost_.size())
    return lost_.size() == 1 ? "from its newest checkpoint on disk"
                             : "from their newest checkpoints on disk";
  return "from their newest checkpoints on disk (" + std::to_string(lost_.size() - saved)
         + " from scratch)";
}

/// When they go on, with a blank or a comma before it; empty: at once.
std::string lost_pauses::turn_text() const {
  constexpr std::array turns{turn::at_once, turn::when_there_is_room, turn::if_chosen,
                             turn::when_unpaused};
  std::string result;
  for (auto when : turns) {
    const auto many = static_cast<std::size_t>(std::count_if(
        lost_.begin(), lost_.end(), [when](const loss& x) { return x.when == when; }));
    if (many == lost_.size())
      return when == turn::at_once ? "" : " " + turn_of(when, many == 1);
    if (many > 0)
      result += ", " + std::to_string(many) + " " + turn_of(when, many == 1);
  }
  return result;
}

std::string lost_pauses::text(const std::string& how) const {
  const auto is_one = lost_.size() == 1;
  const auto whose = is_one ? "trial " + names() + ": what it"
                            : "what " + std::to_string(lost_.size()) + " trials (" + names() + ")";
  return whose + " paused with " + how + "; " + (is_one ? "it goes on " : "they go on ")
         + start_text() + turn_text();
}

} // namespace tune
