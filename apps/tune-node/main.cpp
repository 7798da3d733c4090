// The composition root: the trainables that `tune-node` brings along.
// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include "digits/register_digits.hpp"

int main(int argc, char** argv) {
  tune::trainable_registry trainables;
  tune::examples::register_digits(trainables, TUNE_DIGITS_DATA);
  return tune::cli::run_program(argc, argv, std::move(trainables));
}
