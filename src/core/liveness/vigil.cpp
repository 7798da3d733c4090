// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/vigil.hpp"

#include <algorithm>

namespace tune {

void vigil::begin(std::uint64_t session, instant now) {
  set(session, now + rules_.lost_after);
}

void vigil::end(std::uint64_t session) {
  auto known = ends_.find(session);
  if (known == ends_.end())
    return;
  by_time_.erase({known->second, session});
  ends_.erase(known);
}

bool vigil::heard(std::uint64_t session, instant now) {
  auto known = ends_.find(session);
  if (known == ends_.end())
    return false;
  set(session, std::max(known->second, now + rules_.lost_after));
  return true;
}

std::vector<std::uint64_t> vigil::look(instant now) {
  // Timers are never quite in time.
  auto tolerance = rules_.interval() / 2;
  if (planned_ && now > *planned_ + tolerance)
    excuse(now - *planned_);
  planned_.reset();
  std::vector<std::uint64_t> result;
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    result.push_back(by_time_.begin()->second);
    end(result.back());
  }
  return result;
}

std::optional<instant> vigil::next_look(instant now) {
  if (by_time_.empty())
    return std::nullopt;
  planned_ = std::clamp(by_time_.begin()->first, now, now + rules_.interval());
  return planned_;
}

void vigil::set(std::uint64_t session, instant ends) {
  end(session);
  ends_.emplace(session, ends);
  by_time_.emplace(ends, session);
}

void vigil::excuse(instant delay) {
  by_time_.clear();
  for (auto& [session, ends] : ends_) {
    ends += delay;
    by_time_.emplace(ends, session);
  }
}

} // namespace tune
