/// The messages that carry out what a machine commands. Private to the runner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/actors/node.hpp"
#include "tune/actors/runner.hpp"

#include <cstdint>

namespace tune {

[[nodiscard]] inline lease_request message_of(const cmd::place& x, const runner_parts& run) {
  lease_request result{x.trial, x.request, run.queue_trials, run.labels, {}};
  if (!x.only_on.empty())
    result.best = node_label(x.only_on);
  return result;
}

[[nodiscard]] inline attempt_answer message_of(const cmd::proceed& x) {
  return {x.attempt, x.number, answer_kind::go_on, x.until, 0, false, false};
}

[[nodiscard]] inline attempt_answer message_of(const cmd::save& x) {
  const auto kind = x.then_end ? answer_kind::save_and_end : answer_kind::save;
  return {x.attempt, x.number, kind, 0, x.checkpoint.number, x.in_memory, x.exports};
}

[[nodiscard]] inline attempt_halt message_of(const cmd::halt& x) {
  return {x.attempt, static_cast<std::uint8_t>(x.how), x.exports};
}

} // namespace tune
