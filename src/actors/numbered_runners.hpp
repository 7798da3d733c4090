/// The runners of a head, by the numbers under which its plan knows their experiments. Private to
/// actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/runner.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace tune {

/// Numbers runners when they are first heard of. A number is never given twice. Lives in the state
/// of the cluster.
class numbered_runners {
public:
  std::uint64_t number_of(const runner_actor& who) {
    auto [known, is_new] = numbers_.try_emplace(who.address(), last_ + 1);
    if (is_new)
      all_.emplace(++last_, who);
    return known->second;
  }

  /// Empty if the runner was not heard of, or is gone.
  [[nodiscard]] std::optional<std::uint64_t> find(const caf::actor_addr& who) const {
    auto known = numbers_.find(who);
    return known == numbers_.end() ? std::nullopt : std::optional{known->second};
  }

  /// The runner is gone. @returns its number, if it was known.
  std::optional<std::uint64_t> remove(const caf::actor_addr& who) {
    auto gone = numbers_.extract(who);
    if (gone.empty())
      return std::nullopt;
    all_.erase(gone.mapped());
    return gone.mapped();
  }

  /// Does nothing if the runner is gone.
  template <class Self, class... Ts>
  void tell(Self* self, std::uint64_t number, Ts&&... what) const {
    if (auto known = all_.find(number); known != all_.end())
      send(self, known->second, std::forward<Ts>(what)...);
  }

  /// The same for what only the cluster tells.
  template <class Self, class... Ts>
  void tell_local(Self* self, std::uint64_t number, Ts&&... what) const {
    if (auto known = all_.find(number); known != all_.end())
      send(self, caf::actor_cast<runner_local_actor>(known->second), std::forward<Ts>(what)...);
  }

private:
  std::map<caf::actor_addr, std::uint64_t> numbers_;
  std::map<std::uint64_t, runner_actor> all_;
  std::uint64_t last_ = 0;
};

} // namespace tune
