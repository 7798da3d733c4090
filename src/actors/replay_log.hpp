/// Brings a run to where its log ends. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/runner.hpp"
#include "tune/core/experiment/engine.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tune {

/// Applies the rules that change with this head.
[[nodiscard]] expected<void> follow_head(engine& run, const head_rules_function& rules,
                                         const on::opened& head);

struct replayed_log {
  /// Time of the last event.
  instant last{0};
  std::uint64_t results = 0;
};

/// Applies all events of earlier heads.
/// @param after_batch Called after each batch of events: what they have to say may be passed on.
[[nodiscard]] expected<replayed_log> replay_log(engine& run, const history_function& history,
                                                const head_rules_function& rules,
                                                const std::function<void()>& after_batch);

/// What the head of an experiment that goes on has to say before anything new happens: which
/// checkpoints are bad, that the attempts under its last head ended with it, and what is to be run
/// as well. Leaves these lists of `parts` empty.
[[nodiscard]] std::vector<event_body> first_events(const experiment& x, runner_parts& parts);

/// Whether the attempt may outlive the head that launched it, so that its worker may come back with
/// it: it runs as one process on a node other than the head's own.
[[nodiscard]] bool is_awaited(const cmd::launch& what, const runner_parts& parts);

/// The text for people about checkpoints that cannot be restored. @param bad [>= 1]
[[nodiscard]] std::string text_of_bad(const std::vector<on::checkpoint_bad>& bad);

} // namespace tune
