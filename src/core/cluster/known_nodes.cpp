// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/known_nodes.hpp"

#include "tune/core/cluster/node_labels.hpp"

#include <utility>

namespace tune {

known_nodes::note& known_nodes::came(const std::string& node, note what) {
  return all_[node] = std::move(what);
}

known_nodes::note* known_nodes::find(const std::string& node) {
  auto known = all_.find(node);
  return known == all_.end() ? nullptr : &known->second;
}

const known_nodes::note* known_nodes::find(const std::string& node) const {
  auto known = all_.find(node);
  return known == all_.end() ? nullptr : &known->second;
}

std::vector<std::string> known_nodes::missing_trainables(const std::string& node,
                                                         const node_labels& asked) const {
  std::vector<std::string> result;
  const auto& x = all_.at(node);
  if (x.session == 0)
    return result;
  for (const auto& label : asked) {
    if (label.starts_with(trainable_label({})) && !x.profile.labels.contains(label))
      result.push_back(label);
  }
  return result;
}

std::vector<std::string> known_nodes::addresses(const std::vector<std::string>& nodes) const {
  std::vector<node_route> routes;
  for (const auto& node : nodes) {
    const auto* known = find(node);
    routes.push_back(known == nullptr ? node_route{} : known->profile.route);
  }
  return addresses_of(routes);
}

std::vector<std::string>
known_nodes::device_names(const std::string& node,
                          const std::vector<std::uint32_t>& indices) const {
  std::vector<std::string> result;
  const auto* known = find(node);
  for (auto index : indices) {
    const auto has_name = known != nullptr && index < known->profile.devices.size();
    result.push_back(has_name ? known->profile.devices[index] : std::to_string(index));
  }
  return result;
}

} // namespace tune
