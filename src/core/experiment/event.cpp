// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/event.hpp"

#include <array>

namespace tune {

std::string_view name_of(const event_body& x) {
  static constexpr std::array<std::string_view, std::variant_size_v<event_body>> names{
      "opened",      "suggest_asked", "suggested",          "decided",
      "chosen",      "placed",        "place_refused",      "started",
      "reported",    "saved",         "save_failed",        "checkpoint_bad",
      "ended",       "node_up",       "node_down",          "stop_asked",
      "interrupted", "ticked",        "checkpoints_doomed", "checkpoint_gone",
      "pause_asked", "unpause_asked", "add_asked",          "retry_asked",
      "gathered",    "exported",      "node_leaving",       "granted"};
  return names[x.index()];
}

} // namespace tune
