// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/failure_detector.hpp"

#include <algorithm>

namespace tune {

void failure_detector::begin(std::uint64_t session, instant now) {
  end(session);
  const auto ends = now + rules_.lost_after;
  watches_.emplace(session, watch{ends, now, instant{0}, ends});
  by_time_.emplace(ends, session);
}

void failure_detector::end(std::uint64_t session) {
  auto known = watches_.find(session);
  if (known == watches_.end())
    return;
  by_time_.erase({known->second.listed, session});
  watches_.erase(known);
}

bool failure_detector::heard(std::uint64_t session, instant now) {
  auto known = watches_.find(session);
  if (known == watches_.end())
    return false;
  auto& x = known->second;
  x.longest = std::max(x.longest, now - x.heard);
  x.heard = now;
  x.ends = std::max(x.ends, now + rules_.lost_after);
  return true;
}

instant failure_detector::longest_silence(std::uint64_t session, instant now) const {
  auto known = watches_.find(session);
  if (known == watches_.end())
    return instant{0};
  return std::max(known->second.longest, now - known->second.heard);
}

std::vector<std::uint64_t> failure_detector::look(instant now) {
  if (is_late(now)) {
    excuse(now - *planned_);
    excused_until_ = now + rules_.lost_after;
  }
  planned_.reset();
  renew_until(now);
  std::vector<std::uint64_t> result;
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    result.push_back(by_time_.begin()->second);
    end(result.back());
  }
  return result;
}

/// Allows half an interval, since timers are never exact.
bool failure_detector::is_late(instant now) const {
  return planned_ && now > *planned_ + rules_.interval() / 2;
}

bool failure_detector::was_held_up(instant now) const {
  return is_late(now) || (excused_until_ && now < *excused_until_);
}

std::optional<instant> failure_detector::next_look(instant now) {
  if (by_time_.empty())
    return std::nullopt;
  renew_until(now + rules_.interval());
  planned_ = std::clamp(by_time_.begin()->first, now, now + rules_.interval());
  return planned_;
}

/// Has the entries up to that time say when their nodes really count as lost.
void failure_detector::renew_until(instant latest) {
  for (auto i = by_time_.begin(); i != by_time_.end() && i->first <= latest;) {
    const auto session = i->second;
    auto& x = watches_.at(session);
    if (x.listed == x.ends) {
      ++i;
      continue;
    }
    x.listed = x.ends;
    // It comes later in the order, and may be met once more.
    by_time_.emplace(x.listed, session);
    i = by_time_.erase(i);
  }
}

void failure_detector::excuse(instant delay) {
  by_time_.clear();
  for (auto& [session, known] : watches_) {
    known.ends += delay;
    known.listed = known.ends;
    by_time_.emplace(known.listed, session);
  }
}

} // namespace tune
