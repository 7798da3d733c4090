// SPDX-License-Identifier: BSD-3-Clause
#include "tune/web/web_assets.hpp"

namespace tune::web {

std::span<const asset> web_assets() {
  return {};
}

} // namespace tune::web
