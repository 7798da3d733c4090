// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/farewell.hpp"

namespace tune {

expected<void> say_farewell(caf::actor_system& system, const head_dialer& node_registry,
                            const farewell& words, std::chrono::milliseconds patience) {
  auto there = node_registry();
  if (!there)
    return there.error();
  caf::scoped_actor self{system};
  expected<void> result;
  request(self.operator->(), *there, patience, hello_atom_v, to_json(words))
      .receive(
          [&](const std::string& text) {
            auto answer = hello_answer_from_json(text);
            if (!answer)
              result = answer.error();
            else if (const auto* no = std::get_if<rejection>(&*answer))
              result = error{ec::refused, no->why};
          },
          [&](const caf::error& why) {
            result = error{ec::unreachable, render(system, why)};
          });
  return result;
}

} // namespace tune
