// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/loss_notices.hpp"

#include <utility>

namespace tune {

void loss_notices::lost(const std::string& worker, std::vector<std::uint64_t> owners) {
  known_.erase(worker);
  if (known_.size() >= most_)
    known_.erase(known_.begin());
  known_.emplace(worker, std::move(owners));
}

std::optional<std::vector<std::uint64_t>> loss_notices::back(const std::string& worker) {
  auto found = known_.extract(worker);
  return found.empty() ? std::nullopt : std::optional{std::move(found.mapped())};
}

std::string loss_text(const std::string& worker, const std::string& why, std::size_t trials,
                      bool was_leaving) {
  const auto result
      = "worker " + worker + (was_leaving ? ", which was leaving," : "") + " is lost: " + why;
  if (trials == 0)
    return result + "; no trial ran there";
  const auto again
      = trials == 1 ? "; the trial that ran there is tried again"
                    : "; the " + std::to_string(trials) + " trials that ran there are tried again";
  return result + again + ", from the newest checkpoint if there is one, "
         + (was_leaving ? "and no failure is counted"
                        : "as often as [failure] max_node_losses allows");
}

std::string return_text(const std::string& worker) {
  return "worker " + worker + " was lost and is back: it takes trials again";
}

} // namespace tune
