// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/client_book.hpp"

#include <tuple>
#include <utility>

namespace tune::http {

std::optional<client_id> client_book::next_to_go() const {
  const std::pair<const client_id, client>* first = nullptr;
  const auto rank = [](const client& x) { return std::tuple{x.is_proven, x.since}; };
  for (const auto& x : clients_) {
    if (x.second.is_proven && x.second.is_served)
      continue;
    if (first == nullptr || rank(x.second) < rank(first->second))
      first = &x;
  }
  return first == nullptr ? std::nullopt : std::optional{first->first};
}

void client_book::prove(client_id who) {
  if (auto found = clients_.find(who); found != clients_.end())
    found->second.is_proven = true;
}

void client_book::serve(client_id who, bool begins, time_point now) {
  auto found = clients_.find(who);
  if (found == clients_.end())
    return;
  found->second.is_served = begins;
  found->second.since = now;
}

} // namespace tune::http
