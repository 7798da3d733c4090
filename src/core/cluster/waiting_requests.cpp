// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/waiting_requests.hpp"

namespace tune {

std::uint64_t waiting_requests::add(request what) {
  const auto token = ++last_token_;
  tokens_[{what.owner, what.trial}] = token;
  all_.emplace(token, std::move(what));
  return token;
}

std::optional<std::uint64_t> waiting_requests::remove(std::uint64_t owner, trial_id trial) {
  auto known = tokens_.extract({owner, trial});
  if (known.empty())
    return std::nullopt;
  all_.erase(known.mapped());
  return known.mapped();
}

std::vector<std::uint64_t> waiting_requests::remove_all(std::uint64_t owner) {
  std::vector<std::uint64_t> result;
  auto i = tokens_.lower_bound({owner, trial_id{0}});
  while (i != tokens_.end() && i->first.first == owner) {
    result.push_back(i->second);
    all_.erase(i->second);
    i = tokens_.erase(i);
  }
  return result;
}

waiting_requests::request waiting_requests::take(std::uint64_t token) {
  auto result = std::move(all_.extract(token).mapped());
  tokens_.erase({result.owner, result.trial});
  return result;
}

std::vector<std::uint64_t> waiting_requests::drop_label(const std::string& label) {
  std::vector<std::uint64_t> result;
  for (auto& [token, x] : all_) {
    if (x.labels.erase(label) > 0)
      result.push_back(token);
  }
  return result;
}

} // namespace tune
