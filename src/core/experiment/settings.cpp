// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/settings.hpp"

namespace tune {

failure_policy::failure_policy() {
  budget[static_cast<std::size_t>(end_class::node_lost)] = 10;
  budget[static_cast<std::size_t>(end_class::preempted)] = unlimited;
  budget[static_cast<std::size_t>(end_class::interrupted)] = unlimited;
}

} // namespace tune
