// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/command.hpp"

#include <array>

namespace tune {

std::string_view to_text(experiment_status x) {
  static constexpr std::array<std::string_view, 7> names{
      "done", "time_limit", "interrupted", "stopped", "failed", "stalled", "left_off"};
  return names[static_cast<std::size_t>(x)];
}

std::string_view name_of(const command_body& x) {
  static constexpr std::array<std::string_view, std::variant_size_v<command_body>> names{
      "log",
      "ask_searcher",
      "tell_searcher",
      "tell_scheduler",
      "judge",
      "choose",
      "resolve_stall",
      "place",
      "cancel_place",
      "launch",
      "release",
      "proceed",
      "save",
      "halt",
      "trial_changed",
      "trial_progressed",
      "attempt_changed",
      "decision_taken",
      "finish",
      "warn",
      "discard"};
  return names[x.index()];
}

std::optional<trial_id> trial_of(const command_body& x) {
  return std::visit(
      [](const auto& body) -> std::optional<trial_id> {
        if constexpr (requires {
                        { body.trial } -> std::convertible_to<trial_id>;
                      })
          return body.trial;
        else
          return std::nullopt;
      },
      x);
}

} // namespace tune
