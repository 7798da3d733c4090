// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/check/conduct_check.hpp"

namespace tune {

namespace {

bool fits(const resources& used, const resources& capacity) {
  auto custom = std::all_of(used.custom.begin(), used.custom.end(), [&](const auto& x) {
    auto has = capacity.custom.find(x.first);
    return has != capacity.custom.end() && x.second <= has->second;
  });
  return custom && used.cpu <= capacity.cpu && used.gpu <= capacity.gpu
         && used.memory <= capacity.memory;
}

} // namespace

void conduct_check::carried(const command& what) {
  if (what.gate == 0)
    return;
  seen_ = std::max(seen_, what.gate);
  if (what.gate > on_disk_)
    found_.add({promise::durable_acknowledgement, what.cause, trial_of(what.what),
                std::string{name_of(what.what)} + " is carried out when only the log up to event "
                    + std::to_string(on_disk_) + " is on disk"});
}

void conduct_check::head_lost(sequence kept) {
  if (kept < seen_)
    found_.add({promise::durable_acknowledgement, seen_, std::nullopt,
                "it was acted on in the open, but the log that is left ends with event "
                    + std::to_string(kept)});
  on_disk_ = kept;
  seen_ = std::min(seen_, kept);
}

void conduct_check::offers(const std::string& node, const resources& capacity) {
  nodes_[node].capacity = capacity;
}

void conduct_check::granted(trial_id to, const lease& what) {
  granted_.insert(what.id);
  for (const auto& bundle : what.bundles) {
    auto& node = nodes_[bundle.node];
    node.used += bundle.what;
    if (!fits(node.used, node.capacity))
      found_.add({promise::nothing_lost_or_doubled, 0, to,
                  "node " + bundle.node + " has " + to_text(node.capacity) + ", but "
                      + to_text(node.used) + " of it is granted"});
  }
}

void conduct_check::given_back(const lease& what) {
  if (granted_.erase(what.id) == 0)
    return;
  for (const auto& bundle : what.bundles)
    nodes_[bundle.node].used -= bundle.what;
}

void conduct_check::nothing_granted() {
  nodes_.clear();
  granted_.clear();
}

} // namespace tune
