// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/checkup.hpp"

#include "tune/actors/clocks.hpp"

#include <string>

namespace tune {

expected<head_checkup> ask_for_checkup(caf::actor_system& system, const head_dialer& dial,
                                       const checkup_question& question,
                                       std::chrono::milliseconds patience) {
  auto node_registry = dial();
  if (!node_registry)
    return node_registry.error();
  caf::scoped_actor self{system};
  expected<std::string> answer = error{ec::unreachable, "the head does not answer"};
  const auto began = std::chrono::steady_clock::now();
  const auto asked = wall_ms();
  request(self.operator->(), *node_registry, patience, hello_atom_v, to_json(question))
      .receive(
          [&](std::string& text) { answer = std::move(text); },
          [&](const caf::error& why) {
            answer = error{ec::unreachable, "the head does not answer: " + render(system, why)};
          });
  if (!answer)
    return answer.error();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  auto facts = checkup_answer_from_json(*answer);
  if (!facts && facts.error().code == ec::refused)
    return facts.error();
  if (!facts)
    return error{ec::protocol, "the head's answer makes no sense: " + facts.error().detail};
  // By this machine's clock, the head answered half-way between question and answer.
  const auto ahead = facts->wall_ms - (asked + took.count() / 2);
  return head_checkup{std::move(*facts), std::chrono::milliseconds{ahead}, took};
}

} // namespace tune
