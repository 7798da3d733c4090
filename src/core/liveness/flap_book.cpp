// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/flap_book.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

/// Losses that are remembered per node; more would change nothing.
constexpr std::size_t most_losses = 64;

} // namespace

void flap_book::lost(const std::string& node, instant now) {
  forget(now);
  auto& all = losses_[node];
  all.push_back(now);
  if (all.size() > most_losses)
    all.pop_front();
}

std::size_t flap_book::losses(const std::string& node, instant now) const {
  auto known = losses_.find(node);
  if (known == losses_.end())
    return 0;
  auto counts = [&](instant at) { return at > now - rules_.window; };
  return static_cast<std::size_t>(
      std::count_if(known->second.begin(), known->second.end(), counts));
}

instant flap_book::wait(const std::string& node, instant now) const {
  auto many = losses(node, now);
  if (many <= rules_.free_losses)
    return instant{0};
  auto result = rules_.first_wait;
  for (auto i = rules_.free_losses + 1; i < many && result < rules_.most_wait; ++i)
    result *= 2;
  return std::min(result, rules_.most_wait);
}

instant flap_book::left(const std::string& node, instant now) const {
  auto known = losses_.find(node);
  if (known == losses_.end())
    return instant{0};
  return std::max(known->second.back() + wait(node, now) - now, instant{0});
}

bool flap_book::is_news(const std::string& node, instant now) {
  auto& known = known_waits_[node];
  const auto cost = wait(node, now);
  return std::exchange(known, std::max(known, cost)) < cost;
}

void flap_book::forget(instant now) {
  std::erase_if(losses_, [&](const auto& x) { return x.second.back() <= now - rules_.window; });
  std::erase_if(known_waits_, [&](const auto& x) { return !losses_.contains(x.first); });
}

} // namespace tune
