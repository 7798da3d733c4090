// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/rank_group.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

bool is_good(end_class how) {
  return how == end_class::finished || how == end_class::stopped || how == end_class::paused;
}

} // namespace

rank_group::rank_group(std::uint32_t ranks) : ranks_(std::max(ranks, 1u), stage::absent) {
  ranks_.front() = stage::runs;
}

rank_commands rank_group::begun() {
  rank_commands out;
  if (is_closing_ || is_over_)
    return out;
  for (std::uint32_t rank = 1; rank < size(); ++rank) {
    if (ranks_[rank] != stage::absent)
      continue;
    ranks_[rank] = stage::runs;
    out.emplace_back(rank_cmd::launch{rank});
  }
  return out;
}

rank_commands rank_group::ended(std::uint32_t rank, end_class how) {
  rank_commands out;
  if (rank >= size() || ranks_[rank] != stage::runs)
    return out;
  ranks_[rank] = stage::gone;
  if (rank == 0) {
    // Rank 0 reports for the attempt: if it finished, so did the attempt.
    if (how == end_class::finished || !verdict_)
      verdict_ = 0;
    if (!std::exchange(is_closing_, true))
      halt_others(0, is_good(how) ? halt_mode::stop : halt_mode::kill, out);
  } else if (!is_good(how) && !is_closing_) {
    if (is_leaving_)
      missed_ = missed_.value_or(rank);
    else
      fail(rank, out);
  }
  finish_if_gone(out);
  return out;
}

rank_commands rank_group::halt(halt_mode how) {
  rank_commands out;
  if (is_over_)
    return out;
  is_leaving_ = true;
  // Other ranks are told once rank 0 has ended, since it may need them for its last steps.
  if (how != halt_mode::kill) {
    if (ranks_.front() == stage::runs)
      out.emplace_back(rank_cmd::halt{0, how});
    return out;
  }
  is_closing_ = true;
  halt_others(size(), halt_mode::kill, out);
  return out;
}

rank_commands rank_group::goes_on() {
  rank_commands out;
  is_leaving_ = false;
  if (auto failed = std::exchange(missed_, std::nullopt); failed && !is_closing_)
    fail(*failed, out);
  finish_if_gone(out);
  return out;
}

void rank_group::fail(std::uint32_t rank, rank_commands& out) {
  is_closing_ = true;
  verdict_ = rank;
  halt_others(rank, halt_mode::kill, out);
}

void rank_group::halt_others(std::uint32_t but, halt_mode how, rank_commands& out) {
  for (std::uint32_t rank = 0; rank < size(); ++rank) {
    if (rank != but && ranks_[rank] == stage::runs)
      out.emplace_back(rank_cmd::halt{rank, how});
  }
}

void rank_group::finish_if_gone(rank_commands& out) {
  const auto runs = std::find(ranks_.begin(), ranks_.end(), stage::runs) != ranks_.end();
  if (runs || is_over_)
    return;
  is_over_ = true;
  out.emplace_back(rank_cmd::over{verdict_.value_or(0)});
}

} // namespace tune
