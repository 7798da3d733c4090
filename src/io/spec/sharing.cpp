// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/sharing.hpp"

#include "tune/core/resource/demands.hpp"

#include <sstream>

namespace tune {

std::vector<std::string> words_between_commas(const std::string& list) {
  std::vector<std::string> result;
  if (list.find_first_not_of(" \t") == list.npos)
    return result;
  // A comma at the end has an empty word behind it, which no list may have.
  std::istringstream in{list + ","};
  for (std::string word; std::getline(in, word, ',');) {
    const auto first = word.find_first_not_of(" \t");
    const auto last = word.find_last_not_of(" \t");
    result.push_back(first == word.npos ? std::string{} : word.substr(first, last - first + 1));
  }
  return result;
}

node_labels demands_in(const spec& x) {
  node_labels result;
  if (!x.resources.require.empty())
    result.insert(require_word(x.resources.require));
  if (!x.resources.tolerate.empty())
    result.insert(tolerate_word(x.resources.tolerate));
  return result;
}

node_labels given_labels(const spec& x) {
  node_labels result;
  for (const auto& each : words_between_commas(x.cluster.labels))
    result.insert(given_label(each));
  for (const auto& each : words_between_commas(x.cluster.taints))
    result.insert(given_taint(each));
  return result;
}

owner_standing standing_of(const spec& x, const std::string& user) {
  return {x.experiment.name, user, x.experiment.priority, x.experiment.share, false};
}

} // namespace tune
