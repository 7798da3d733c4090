/// Brings a run to where its log ends. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/cluster.hpp"
#include "tune/actors/runner.hpp"
#include "tune/core/experiment/engine.hpp"

#include <cstdint>
#include <functional>
#include <set>
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
  /// The nodes that the log calls there.
  std::set<std::string> nodes;
};

/// Applies all events of earlier heads, if there were any.
/// @param after_batch Called after each batch of events: what they have to say may be passed on.
[[nodiscard]] expected<replayed_log> replay_log(engine& run, const runner_parts& parts,
                                                const std::function<void()>& after_batch);

/// The first event of this head: one with wishes of its own gathers them before anything else.
[[nodiscard]] on::opened opening_of(const runner_parts& parts);

/// What the head of an experiment that goes on has to say before anything new happens: which
/// checkpoints are bad, that the attempts under its last head ended with it, and what is to be run
/// as well. Leaves these lists of `parts` empty.
[[nodiscard]] std::vector<event_body> first_events(const experiment& x, runner_parts& parts);

/// Whether the attempt may outlive the head that launched it, so that its worker may come back with
/// it: it runs as one process on a node other than the head's own.
[[nodiscard]] bool is_awaited(const cmd::launch& what, const runner_parts& parts);

/// An attempt that the head before this one launched, and what the cluster is to know of it.
struct awaited_launch {
  trial_id trial;
  config_ptr config;
  attempt_awaited what;
};
/// The attempts under way that `is_awaited`.
[[nodiscard]] std::vector<awaited_launch> awaited_launches(const experiment& x,
                                                           const runner_parts& parts);

/// The text for people about checkpoints that cannot be restored. @param bad [>= 1]
[[nodiscard]] std::string text_of_bad(const std::vector<on::checkpoint_bad>& bad);

} // namespace tune
