// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/session_lease.hpp"

#include <algorithm>

namespace tune {

namespace {

/// An answer to an older heartbeat could no longer prolong the lease.
constexpr std::size_t most_unanswered = 2 * liveness_rules::beats;

} // namespace

session_lease::session_lease(liveness_rules rules, instant now)
    : rules_{rules}, ends_{now + rules.lease()} {}

std::uint64_t session_lease::beat(instant now) {
  sent_.emplace(++last_, now);
  if (sent_.size() > most_unanswered)
    sent_.erase(sent_.begin());
  return last_;
}

void session_lease::answered(std::uint64_t number, instant now) {
  ended_ = ended_ || now >= ends_;
  auto known = sent_.find(number);
  if (known == sent_.end() || ended_)
    return;
  ends_ = std::max(ends_, known->second + rules_.lease());
  sent_.erase(sent_.begin(), std::next(known));
}

void session_lease::revoke(instant now) {
  if (!ended_)
    ends_ = std::min(ends_, now);
  ended_ = true;
}

session_lease::state session_lease::at(instant now) const {
  if (now >= lost_at())
    return state::lost;
  return ended_ || now >= ends_ ? state::frozen : state::held;
}

} // namespace tune
