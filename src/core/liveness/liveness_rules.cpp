// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/liveness_rules.hpp"

namespace tune {

static_assert(liveness_rules::beats >= 3, "one lost heartbeat must not cost a node");

expected<void> validate(const liveness_rules& x) {
  if (x.lost_after >= liveness_rules::least && x.lost_after <= liveness_rules::most)
    return {};
  return error{ec::bad_option, "lost_after must be 1 s to 24 h"};
}

} // namespace tune
