// SPDX-License-Identifier: BSD-3-Clause
#include "tune/trainable/plugin.hpp"

namespace tune {

const char* trainable_version() {
  return TUNE_VERSION;
}

} // namespace tune
