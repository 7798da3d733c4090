// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/resource_check.hpp"

#include "tune/core/cluster/node_labels.hpp"
#include "tune/core/cluster/served_nodes.hpp"
#include "tune/core/resource/demands.hpp"
#include "tune/core/resource/ledger.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/keys.hpp"
#include "tune/io/spec/sharing.hpp"

#include <utility>
#include <vector>

namespace tune {

namespace {

using strategy = resource_request::strategy;

/// The amounts of a bundle, each separately, with the key that sets it.
std::vector<std::pair<std::string, resources>> parts_of(const resources& bundle) {
  std::vector<std::pair<std::string, resources>> result{{"cpu", {}}, {"gpu", {}}, {"memory", {}}};
  result[0].second.cpu = bundle.cpu;
  result[1].second.gpu = bundle.gpu;
  result[2].second.memory = bundle.memory;
  for (const auto& [name, what] : bundle.custom) {
    result.emplace_back("custom." + name, resources{});
    result.back().second.custom.emplace(name, what);
  }
  return result;
}

/// The key that makes `asked` impossible.
std::string blamed(const resource_request& asked, const ledger& books) {
  auto possible = [&](std::vector<resources> bundles) {
    return !books.impossible({std::move(bundles), strategy::pack});
  };
  const auto& own = asked.bundles.front();
  if (possible(asked.bundles))
    return "strategy";
  if (possible({own}))
    return "bundles";
  for (auto& [key, part] : parts_of(own)) {
    if (!possible({part}))
      return key;
  }
  // Each node lacks a different part.
  return own.gpu.units > 0 ? "gpu" : "cpu";
}

/// The demands that this machine meets under this name.
node_labels met_by(const std::string& name, const node_labels& demands, const spec& x) {
  auto own = given_labels(x);
  own.insert(node_label(name));
  node_labels result;
  for (const auto& each : demands) {
    if (meets(own, each))
      result.insert(each);
  }
  return result;
}

/// The text written for a key of `[resources]`.
std::string text_of(const std::string& key, const spec& x) {
  const auto* row = find_key("resources", key);
  if (!row->is_family())
    return row->write(x);
  for (const auto& line : entries_of(*row, x)) {
    if (row->rule.name + line.name == key)
      return line.text;
  }
  return {};
}

} // namespace

std::optional<config_fault> impossible_offer(const loaded_spec& x, const std::string& lack) {
  if (lack.empty() || !x.what.cluster.gpus || !x.what.cluster.local)
    return std::nullopt;
  const auto origin = x.origins.find("cluster.gpus");
  return config_fault{origin == x.origins.end() ? config_origin{} : origin->second, "cluster",
                      "gpus", "gpus = " + find_key("cluster", "gpus")->write(x.what) + ": " + lack};
}

std::optional<config_fault> impossible_request(const loaded_spec& x,
                                               const std::map<std::string, resources>& nodes,
                                               const std::string& why_fewer_gpus) {
  ledger books;
  const auto demands = asked_of_nodes(demands_in(x.what));
  for (const auto& [name, capacity] : nodes)
    books.set_node(name, capacity, met_by(name, demands, x.what));
  auto asked = request_of(x.what);
  auto why = books.impossible(asked, demands);
  if (!why)
    return std::nullopt;
  const auto is_of_labels = !books.impossible(asked);
  auto key = is_of_labels ? (x.what.resources.require.empty() ? "tolerate" : "require")
                          : blamed(asked, books);
  auto origin = x.origins.find("resources." + key);
  config_fault result;
  result.at = origin == x.origins.end() ? config_origin{} : origin->second;
  result.section = "resources";
  result.key = key;
  const auto is_about_gpus = key == "gpu" || key == "bundles";
  result.message = key + " = " + text_of(key, x.what) + ": " + why->detail
                   + (is_about_gpus && !why_fewer_gpus.empty() ? "; " + why_fewer_gpus : "")
                   + (x.what.cluster.queue_trials
                          ? "; [cluster] queue_trials = true waits for workers, but none can join "
                            "without [cluster] listen (--listen HOST:PORT)"
                          : "; with [cluster] listen (--listen HOST:PORT) workers that can hold it "
                            "may join");
  return result;
}

} // namespace tune
