// The composition root: the trainables that `tune-node` brings along.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/app/app.hpp"

#include "digits/register_digits.hpp"

#include <filesystem>

namespace {

/// The data of the digits, which lies beside the program.
std::filesystem::path digits_data() {
  std::error_code problem;
  auto self = std::filesystem::read_symlink("/proc/self/exe", problem);
  return (self.parent_path() / TUNE_DIGITS_DATA).lexically_normal();
}

} // namespace

int main(int argc, char** argv) {
  tune::trainable_registry trainables;
  tune::examples::register_digits(trainables, digits_data());
  return tune::app(argc, argv, tune::builtin_choices(std::move(trainables)));
}
