// tune-node as another build: tests/support/CMakeLists.txt gives it other version numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/app/app.hpp"

int main(int argc, char** argv) {
  return tune::app(argc, argv, tune::builtin_choices());
}
