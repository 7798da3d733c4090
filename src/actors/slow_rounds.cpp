// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/slow_rounds.hpp"

#include <algorithm>
#include <vector>

namespace tune {

void slow_rounds::add(const owner& whose, std::unique_ptr<slow_work> what) {
  auto& queue = works_[whose];
  if (queue.empty())
    turns_.push_back(whose);
  queue.push_back(std::move(what));
}

void slow_rounds::turn() {
  if (turns_.empty())
    return;
  auto whose = std::move(turns_.front());
  turns_.pop_front();
  auto& queue = works_.at(whose);
  if (queue.front()->step())
    queue.pop_front();
  if (queue.empty())
    works_.erase(whose);
  else
    turns_.push_back(std::move(whose));
}

void slow_rounds::give_up(const owner& whose, const std::string& why) {
  auto gone = works_.extract(whose);
  std::erase(turns_, whose);
  if (gone.empty())
    return;
  for (auto& work : gone.mapped())
    work->give_up(why);
}

template <class Predicate>
void slow_rounds::give_up_where(Predicate is_meant, const std::string& why) {
  std::vector<owner> gone;
  for (const auto& [whose, queue] : works_) {
    if (is_meant(whose))
      gone.push_back(whose);
  }
  for (const auto& whose : gone)
    give_up(whose, why);
}

void slow_rounds::give_up_attempt(const owner& whose, const std::string& why) {
  give_up_where([&](const owner& x) { return is_of_attempt(x, whose); }, why);
}

void slow_rounds::give_up_job(const std::string& job, const std::string& why) {
  give_up_where([&](const owner& x) { return std::get<0>(x) == job; }, why);
}

void slow_rounds::give_up_all(const std::string& why) {
  turns_.clear();
  for (auto& [whose, queue] : std::exchange(works_, {})) {
    for (auto& work : queue)
      work->give_up(why);
  }
}

} // namespace tune
