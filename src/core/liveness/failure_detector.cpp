// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/failure_detector.hpp"

#include <algorithm>

namespace tune {

void failure_detector::begin(std::uint64_t session, instant now) {
  set(session, {now + rules_.lost_after, now});
}

void failure_detector::end(std::uint64_t session) {
  auto known = watches_.find(session);
  if (known == watches_.end())
    return;
  by_time_.erase({known->second.ends, session});
  watches_.erase(known);
}

bool failure_detector::heard(std::uint64_t session, instant now) {
  auto known = watches_.find(session);
  if (known == watches_.end())
    return false;
  auto ends = std::max(known->second.ends, now + rules_.lost_after);
  set(session, {ends, now, longest_silence(session, now)});
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
  planned_ = std::clamp(by_time_.begin()->first, now, now + rules_.interval());
  return planned_;
}

void failure_detector::set(std::uint64_t session, const watch& how) {
  end(session);
  watches_.emplace(session, how);
  by_time_.emplace(how.ends, session);
}

void failure_detector::excuse(instant delay) {
  by_time_.clear();
  for (auto& [session, known] : watches_) {
    known.ends += delay;
    by_time_.emplace(known.ends, session);
  }
}

} // namespace tune
