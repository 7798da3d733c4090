// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/liveness_rules.hpp"

namespace tune {

static_assert(liveness_rules::beats >= 3, "one lost heartbeat must not cost a node");

expected<void> validate(const liveness_rules& x) {
  auto fits = [](instant y) { return y >= liveness_rules::least && y <= liveness_rules::most; };
  if (!fits(x.lost_after))
    return error{ec::bad_option, "lost_after must be 1 s to 24 h"};
  if (x.head_grace.count() != 0 && !fits(x.head_grace))
    return error{ec::bad_option, "head_grace must be 0, or 1 s to 24 h"};
  return {};
}

} // namespace tune
