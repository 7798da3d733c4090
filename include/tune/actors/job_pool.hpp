/// Actors that each serve one job at a time, so that one that blocks stops no other job.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tune {

/// The pool of a node. It grows to the largest number of simultaneous jobs: an actor whose job is
/// over serves another.
template <class Actor>
class job_pool {
public:
  /// The actor to serve `job` from now on: its present one, else a free one; null: add one.
  [[nodiscard]] const Actor* take(const std::string& job) {
    auto* own = find(job);
    auto* result = own != nullptr ? own : find({});
    if (result == nullptr)
      return nullptr;
    result->job = job;
    return &result->whom;
  }

  /// Has `whom` serve `job`. @pre `take(job)` is null.
  void add(Actor whom, const std::string& job) { all_.push_back({std::move(whom), job}); }

  /// The actor that serves `job`; null: none.
  [[nodiscard]] const Actor* of(const std::string& job) {
    auto* own = find(job);
    return own != nullptr ? &own->whom : nullptr;
  }

  /// Marks `whom` as free.
  void free(const Actor& whom) {
    for (auto& x : all_) {
      if (x.whom == whom)
        x.job.clear();
    }
  }

  template <class F>
  void for_each(F f) const {
    for (const auto& x : all_)
      f(x.whom);
  }

private:
  struct entry {
    Actor whom;
    /// Empty: the actor is free.
    std::string job;
  };
  std::vector<entry> all_;

  entry* find(const std::string& job) {
    auto at = std::find_if(all_.begin(), all_.end(), [&](const entry& x) { return x.job == job; });
    return at == all_.end() ? nullptr : &*at;
  }
};

} // namespace tune
