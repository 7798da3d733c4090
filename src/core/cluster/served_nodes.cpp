// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/served_nodes.hpp"

#include "tune/core/resource/demands.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tune {

void served_nodes::set(const std::string& node, const resources& capacity, node_labels labels) {
  auto& x = all_[node];
  x = {capacity, std::move(labels)};
  x.all = x.labels;
  for (const auto& [word, owners] : demands_) {
    if (meets(x.labels, word))
      x.all.insert(word);
  }
}

void served_nodes::close(const std::string& node, std::uint64_t owner) {
  if (auto known = all_.find(node); known != all_.end())
    known->second.closed_to.insert(owner);
}

void served_nodes::open(const std::string& node, std::uint64_t owner) {
  if (auto known = all_.find(node); known != all_.end())
    known->second.closed_to.erase(owner);
}

bool served_nodes::is_closed_somewhere(std::uint64_t owner) const {
  return std::any_of(all_.begin(), all_.end(),
                     [owner](const auto& x) { return x.second.closed_to.contains(owner); });
}

std::vector<std::string> served_nodes::learn(const node_labels& asked, std::uint64_t owner) {
  std::set<std::string> result;
  for (const auto& word : asked) {
    if (!is_demand(word))
      continue;
    auto [known, is_new] = demands_.try_emplace(word);
    known->second.insert(owner);
    if (!is_new)
      continue;
    for (auto& [node, x] : all_) {
      if (!meets(x.labels, word))
        continue;
      x.all.insert(word);
      result.insert(node);
    }
  }
  return {result.begin(), result.end()};
}

void served_nodes::forget(std::uint64_t owner) {
  for (auto i = demands_.begin(); i != demands_.end();) {
    i->second.erase(owner);
    if (!i->second.empty()) {
      ++i;
      continue;
    }
    for (auto& [node, x] : all_)
      x.all.erase(i->first);
    i = demands_.erase(i);
  }
}

const served_nodes::note* served_nodes::find(const std::string& node) const {
  auto known = all_.find(node);
  return known == all_.end() ? nullptr : &known->second;
}

node_labels asked_of_nodes(node_labels asked) {
  const auto says = std::any_of(asked.begin(), asked.end(), [](const auto& x) {
    return is_demand(x) && x.starts_with(tolerate_word({}));
  });
  if (!says)
    asked.insert(tolerate_word({}));
  return asked;
}

} // namespace tune
