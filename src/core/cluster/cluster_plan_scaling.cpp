// What is told to those who get and give back workers, and which of these are free to go.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/cluster_plan.hpp"
#include "tune/core/cluster/node_labels.hpp"

namespace tune {

cluster_need cluster_plan::need() const {
  cluster_need result;
  result.pending = book_.pending();
  for (const auto& [node, x] : nodes_.all()) {
    if (x.session == 0 || members_.is_leaving(node))
      continue;
    const auto may_run = members_.is_away(node) || x.is_resting || book_.is_used(node);
    result.workers.push_back({node, x.profile.capacity, may_run,
                              result.pending.empty() ? node_labels{} : book_.labels_of(node)});
  }
  result.newest = newest_;
  return result;
}

std::vector<std::string> cluster_plan::hold_workers(const std::vector<std::string>& nodes) {
  std::vector<std::string> result;
  for (const auto& node : nodes) {
    const auto* known = nodes_.find(node);
    if (known == nullptr || known->session == 0 || known->is_resting || members_.is_away(node)
        || members_.is_leaving(node) || book_.is_used(node))
      continue;
    held_.insert(node);
    book_.remove_node(node);
    book_.drop_label(node_label(node));
    result.push_back(node);
  }
  return result;
}

cluster_commands cluster_plan::release_workers(const std::vector<std::string>& nodes) {
  cluster_commands out;
  for (const auto& node : nodes) {
    const auto* known = nodes_.find(node);
    if (held_.erase(node) == 0 || known == nullptr || members_.is_leaving(node))
      continue;
    serve(node, known->profile);
    if (members_.is_away(node))
      book_.hold_all(node);
  }
  grant(out);
  if (book_.has_unmet())
    tell_of_unmet(out);
  return out;
}

} // namespace tune
