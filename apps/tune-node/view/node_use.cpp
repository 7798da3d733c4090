// SPDX-License-Identifier: BSD-3-Clause
#include "view/node_use.hpp"

#include <set>

namespace tune::cli {

std::map<std::string, node_use>
use_of_nodes(std::span<const open_attempt> open,
             const std::map<trial_id, node_track::placement>& placed) {
  std::map<std::string, node_use> result;
  for (const auto& x : open) {
    const auto known = placed.find(x.trial);
    if (known == placed.end() || known->second.attempt != x.attempt) {
      auto& own = result[x.node];
      ++own.running;
      own.used.reset();
      continue;
    }
    std::set<std::string> nodes;
    for (const auto& bundle : known->second.bundles) {
      auto& own = result[bundle.node];
      own.running += nodes.insert(bundle.node).second ? 1 : 0;
      if (own.used)
        *own.used += bundle.what;
    }
  }
  return result;
}

} // namespace tune::cli
