/// Order of resource requests in which the hardest to satisfy go first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/resources.hpp"

#include <tuple>

namespace tune {

/// Compares the scarcest resources first.
[[nodiscard]] inline auto size_of(const resources& x) {
  return std::tuple{x.gpu, x.cpu, x.memory};
}

} // namespace tune
