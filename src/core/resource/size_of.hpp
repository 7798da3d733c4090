/// By what resources are ordered where the hardest to have goes first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/resources.hpp"

#include <tuple>

namespace tune {

/// The scarce things first.
[[nodiscard]] inline auto size_of(const resources& x) {
  return std::tuple{x.gpu, x.cpu, x.memory};
}

} // namespace tune
