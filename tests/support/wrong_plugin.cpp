// Libraries that are no fit plugins; which, says the macro.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/trainable/plugin.hpp"

#include <unistd.h>

#include <cstdlib>

namespace {

#ifdef TUNE_WRONG_BY_CRASH
struct crasher {
  crasher() { std::abort(); }
};
const crasher crashes;
#endif

#ifdef TUNE_WRONG_BY_FORK
/// Leaves a process in a session of its own, that keeps what it can open.
struct forker {
  forker() {
    if (::fork() != 0)
      return;
    ::setsid();
    if (::fork() != 0)
      ::_exit(0);
    for (;;)
      ::pause();
  }
};
const forker forks;
#endif

} // namespace

extern "C" __attribute__((visibility("default"))) const char* tune_plugin_abi() {
  return "tune 0.0.1, another compiler";
}

extern "C" __attribute__((visibility("default"))) void
tune_plugin_register(tune::trainable_registry& /*to*/) {
  // Nobody gets here: the other words do not fit.
  std::abort();
}
