// Uses only the trainable's side: needs tune::trainable and pulls in no other library.
// SPDX-License-Identifier: BSD-3-Clause
#include "trainables.hpp"

#include <tune/trainable/drive.hpp>

#include <iostream>

int main() {
  const auto registered = embed::trainables();
  for (const auto* x : registered.entries())
    std::cout << x->name << ": " << x->summary << '\n';
  embed::descent uut;
  uut.setup({{"lr", 0.5}}, {});
  std::cout << "loss after a step: " << to_text(*uut.step().find("loss")) << '\n';
}
