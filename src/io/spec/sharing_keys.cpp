// SPDX-License-Identifier: BSD-3-Clause
#include "sharing_keys.hpp"

#include "key_makers.hpp"
#include "tune/core/cluster/allocation_terms.hpp"
#include "tune/core/resource/demands.hpp"
#include "tune/io/spec/sharing.hpp"

#include <set>
#include <utility>

namespace tune {

namespace {

using namespace key_makers;

/// A text that is empty or keeps to a rule.
template <class Field, class Check>
key_spec checked_text(const head& of, std::string form, Field field, Check check) {
  auto result = text(of, std::move(form), field);
  result.read = [field, check,
                 name = std::string{of.name}](spec& x, const std::string& what) -> expected<void> {
    if (auto fits = what.empty() ? expected<void>{} : check(what); !fits)
      return refusal(name, what, fits.error().detail);
    field(x) = what;
    return {};
  };
  return result;
}

expected<void> check_labels(const std::string& list) {
  std::set<std::string> names;
  for (const auto& x : words_between_commas(list)) {
    if (auto fits = check_label(x); !fits)
      return fits;
    if (!names.insert(x.substr(0, x.find('='))).second)
      return error{ec::bad_option, "'" + x.substr(0, x.find('=')) + "' has two values"};
  }
  return {};
}

expected<void> check_taints(const std::string& list) {
  for (const auto& x : words_between_commas(list)) {
    if (auto fits = check_taint(x); !fits)
      return fits;
  }
  return {};
}

} // namespace

void add_standing_keys(std::vector<key_spec>& to) {
  constexpr double most = owner_standing::most_priority;
  to.push_back(integer({"experiment", "priority",
                        "at a head: experiments with a higher one go first, and trials of lower "
                        "ones save and pause for theirs",
                        true},
                       {-most, most}, TUNE_FIELD(experiment.priority)));
  to.push_back(number({"experiment", "share",
                       "at a head: weight among your experiments of the same priority", true},
                      {owner_standing::least_share, owner_standing::most_share},
                      TUNE_FIELD(experiment.share)));
}

void add_demand_keys(std::vector<key_spec>& to) {
  to.push_back(
      checked_text({"resources", "require",
                    "what the labels of a trial's nodes must be; empty: any node will do", true},
                   "condition such as gpu_model == A100 and zone in (a, b)",
                   TUNE_FIELD(resources.require), check_requirement));
  to.push_back(checked_text(
      {"resources", "tolerate", "taints in spite of which nodes take trials; *: all", true},
      "list of NAME, NAME=VALUE or *", TUNE_FIELD(resources.tolerate), check_tolerated));
}

void add_label_keys(std::vector<key_spec>& to) {
  to.push_back(checked_text(
      {"cluster", "labels", "what this machine is, for [resources] require", true},
      "list such as gpu_model=A100, zone=b", TUNE_FIELD(cluster.labels), check_labels));
  to.push_back(
      checked_text({"cluster", "taints",
                    "this machine takes only trials whose [resources] tolerate names them", true},
                   "list of NAME or NAME=VALUE", TUNE_FIELD(cluster.taints), check_taints));
}

} // namespace tune
