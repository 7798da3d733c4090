/// The allocations of a node by their leases, and whether there are any.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

namespace tune {

/// A map by lease that tells an observer when the first of its allocations comes, and when the last
/// has gone.
template <class Occupant>
class occupants_by_lease {
public:
  /// @param tell Called with whether there are any; null: nobody wants to know.
  void observe(std::function<void(bool)> tell) { tell_ = std::move(tell); }

  auto try_emplace(std::uint64_t lease, Occupant what) {
    auto result = all_.try_emplace(lease, std::move(what));
    if (result.second && all_.size() == 1 && tell_)
      tell_(true);
    return result;
  }

  void erase(typename std::unordered_map<std::uint64_t, Occupant>::iterator which) {
    all_.erase(which);
    if (all_.empty() && tell_)
      tell_(false);
  }

  /// @pre It is there.
  [[nodiscard]] Occupant& at(std::uint64_t lease) { return all_.at(lease); }
  [[nodiscard]] auto find(std::uint64_t lease) { return all_.find(lease); }
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }

private:
  std::unordered_map<std::uint64_t, Occupant> all_;
  std::function<void(bool)> tell_;
};

} // namespace tune
