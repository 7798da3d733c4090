// The smallest program that uses every library; built by pkg-config alone.
// SPDX-License-Identifier: BSD-3-Clause
#include <tune/app/app.hpp>
#include <tune/tuner/tuner.hpp>

#include <iostream>

int main(int argc, char** argv) {
  tune::trainable_registry mine;
  mine.add_function("square", [](tune::session& with) {
    auto x = with.config().find("x")->number().value_or(0);
    with.report({{"loss", x * x}});
  });
  if (argc != 2)
    return tune::app(argc, argv, tune::builtin_choices(mine));
  auto grid = tune::tuner{mine}.run(tune::run_options{}
                                        .storage(argv[1])
                                        .trainable("square")
                                        .parameter("x", "grid(3, -1, 2)")
                                        .minimise("loss"));
  if (!grid) {
    std::cerr << to_text(grid.error()) << '\n';
    return 1;
  }
  std::cout << to_text(tune::value{grid->best()->config}) << '\n';
}
