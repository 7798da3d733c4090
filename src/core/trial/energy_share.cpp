// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/energy_share.hpp"

#include <algorithm>

namespace tune {

void energy_share::take(const machine_use& now, double cpu_s) {
  const auto own = cpu_s - last_cpu_s_;
  const auto all = last_ ? now.cpu_s - last_->cpu_s : 0;
  // The machine's time is counted in steps, so that it may lag behind that of a process.
  if (!last_ || own <= 0 || all <= 0)
    return;
  const auto energy = std::max(0.0, now.energy_j - last_->energy_j);
  joules_ = joules_.value_or(0) + energy * std::min(1.0, own / all);
  last_ = now;
  last_cpu_s_ = cpu_s;
}

double wrapping_counter::take(double now) {
  if (last_)
    total_ += now >= *last_ ? now - *last_ : std::max(0.0, now + range_ - *last_);
  last_ = now;
  return total_;
}

} // namespace tune
