// Plugins with a defect each; the macro selects the defect.
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
/// Leaves behind a process in a session of its own that keeps inherited descriptors open.
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
  // Unreachable: the ABI text does not match.
  std::abort();
}
