// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/standby_watch.hpp"

#include <algorithm>
#include <utility>

namespace tune {

standby_watch::verdict standby_watch::look(const std::optional<lead_sign>& sign, bool has_lock,
                                           instant now) {
  const auto is_new = !std::exchange(has_looked_, true) || sign != last_;
  silence_ = is_new ? instant{0} : silence_ + std::min(now - last_look_, 2 * pace());
  last_ = sign;
  last_look_ = now;
  if (has_lock)
    return trusts_lock_ || !sign || silence_ >= 2 * pace() ? verdict::leads : verdict::waits;
  return silence_ >= most_ ? verdict::leads_by_force : verdict::waits;
}

} // namespace tune
