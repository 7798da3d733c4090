// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/nsga2/population.hpp"

#include "tune/core/pareto/dominance.hpp"
#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <utility>

namespace tune::nsga2 {

namespace {

using learning::result;

/// The members of one front, those with the largest crowding distance first.
std::vector<member> front_of(const std::vector<result>& of, const std::vector<std::size_t>& which,
                             std::size_t number) {
  auto room = crowding(learning::scores_of(of, which), learning::objectives_of(of));
  std::vector<member> result;
  for (std::size_t k = 0; k < which.size(); ++k)
    result.push_back({of[which[k]], number, room[k]});
  std::stable_sort(result.begin(), result.end(),
                   [](const member& a, const member& b) { return a.room > b.room; });
  return result;
}

} // namespace

std::vector<member> survivors(std::vector<result> of, std::size_t most) {
  auto missed = learning::violations(of);
  std::vector<std::size_t> good;
  std::vector<std::size_t> bad;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i].how == learning::ending::finished)
      (missed[i] == 0 ? good : bad).push_back(i);
  }
  std::stable_sort(bad.begin(), bad.end(), [&](auto a, auto b) { return missed[a] < missed[b]; });
  std::vector<member> result;
  std::size_t number = 0;
  for (const auto& front :
       non_dominated_fronts(learning::scores_of(of, good), learning::objectives_of(of), most)) {
    std::vector<std::size_t> which;
    for (auto k : front)
      which.push_back(good[k]);
    auto members = front_of(of, which, number++);
    members.resize(std::min(members.size(), most - result.size()));
    std::move(members.begin(), members.end(), std::back_inserter(result));
  }
  for (auto i : bad) {
    if (result.size() < most)
      result.push_back({std::move(of[i]), number++, 0});
  }
  return result;
}

void population::follow(const learning::archive& past) {
  const auto& all = past.results();
  if (count_ > all.size() || past.digest(count_) != digest_)
    *this = population{size_};
  for (; count_ < all.size(); ++count_)
    take(all[count_]);
  digest_ = past.digest(count_);
}

std::vector<member> population::parents() const {
  auto all = children_;
  for (const auto& x : members_)
    all.push_back(x.what);
  return survivors(std::move(all), size_);
}

void population::take(const result& what) {
  if (what.how == learning::ending::stopped)
    return;
  ++ended_;
  if (what.how == learning::ending::finished)
    children_.push_back(what);
  if (ended_ < size_)
    return;
  for (auto& x : members_)
    children_.push_back(std::move(x.what));
  members_ = survivors(std::exchange(children_, {}), size_);
  ended_ = 0;
  ++generation_;
}

} // namespace tune::nsga2
