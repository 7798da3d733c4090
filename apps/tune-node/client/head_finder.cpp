// SPDX-License-Identifier: BSD-3-Clause
#include "client/head_finder.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace tune::cli {

head_finder::head_finder(caf::actor_system& system, const head_addresses& where,
                         const transport& how, std::function<expected<void>()> check)
    : check_{std::move(check)}, whom_{where.first} {
  for (auto& x : where.all())
    ways_.push_back({x, dial(system, x, how)});
}

expected<node_registry_actor> head_finder::find() {
  std::optional<error> first;
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (auto fine = check_ ? check_() : expected<void>{}; !fine)
      return fine.error();
    auto found = ways_[i].dial();
    if (found) {
      std::swap(ways_[0], ways_[i]);
      std::lock_guard guard{mutex_};
      whom_ = ways_[0].whom;
      return found;
    }
    // A stranger at one address is no reason to give up the others.
    if (!first || first->code == ec::refused)
      first = found.error();
  }
  return *first;
}

peer_address head_finder::whom() const {
  std::lock_guard guard{mutex_};
  return whom_;
}

} // namespace tune::cli
