// SPDX-License-Identifier: BSD-3-Clause
#include "searcher_dialogue.hpp"

#include <algorithm>

namespace tune {

namespace {

constexpr std::chrono::nanoseconds first_interval = std::chrono::seconds{1};
constexpr std::chrono::nanoseconds longest_interval = std::chrono::seconds{16};
/// People are told at the third question, 3 s after the first_interval.
constexpr std::chrono::nanoseconds told_before = 4 * first_interval;

} // namespace

void searcher_dialogue::put(ask question) {
  asks_ = question.number;
  open_ = std::move(question);
  heard_ = false;
}

idle_wait::step idle_wait::wait(instant now, std::chrono::nanoseconds patience) {
  if (!since_) {
    since_ = now;
    interval_ = first_interval;
  }
  const auto end = *since_ + patience;
  if (now >= end)
    return step::over;
  const auto result = interval_ == told_before ? step::waits_long : step::waits;
  again_at_ = std::min(now + interval_, end);
  interval_ = std::min(2 * interval_, longest_interval);
  return result;
}

} // namespace tune
