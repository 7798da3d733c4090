// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/absent_nodes.hpp"

namespace tune {

namespace {

/// Names that a line for people has room for.
constexpr std::size_t most_named = 8;

std::string names_of(const std::set<std::string>& nodes) {
  std::string result;
  std::size_t named = 0;
  for (const auto& node : nodes) {
    if (named == most_named)
      return result + " and " + std::to_string(nodes.size() - named) + " more";
    result += (named == 0 ? "" : ", ") + node;
    ++named;
  }
  return result;
}

} // namespace

void absent_nodes::came(const std::string& node) {
  for (auto i = all_.begin(); i != all_.end();) {
    i->second.erase(node);
    i = i->second.empty() ? all_.erase(i) : std::next(i);
  }
}

std::string absence_reason() {
  return "it did not come back to the head that took the place of its own";
}

std::string absence_text(const std::set<std::string>& nodes, std::size_t trials) {
  const auto is_one = nodes.size() == 1;
  const auto result = (is_one ? "worker " : "workers ") + names_of(nodes)
                      + (is_one ? " is lost: " + absence_reason()
                                : " are lost: they did not come back to the head that took the"
                                  " place of theirs");
  if (trials == 0)
    return result + "; no trial ran there";
  return result
         + (trials == 1
                ? "; the trial that ran there is tried again"
                : "; the " + std::to_string(trials) + " trials that ran there are tried again")
         + ", from the newest checkpoint if there is one";
}

} // namespace tune
