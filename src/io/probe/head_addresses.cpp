// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/probe/head_addresses.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tune {

namespace {

/// Addresses are tried one after another, for seconds each.
constexpr std::size_t most_addresses = 8;

} // namespace

std::vector<peer_address> head_addresses::all() const {
  std::vector<peer_address> result{first};
  result.insert(result.end(), also.begin(), also.end());
  return result;
}

std::string to_text(const head_addresses& x) {
  auto result = to_text(x.first);
  for (const auto& next : x.also)
    result += "," + to_text(next);
  return result;
}

expected<head_addresses> head_addresses_from(const std::string& text) {
  std::vector<peer_address> found;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    auto next = peer_address_from(text.substr(at, end - at));
    if (!next)
      return next.error();
    found.push_back(std::move(*next));
    if (found.size() > most_addresses)
      return error{ec::bad_syntax,
                   "more than " + std::to_string(most_addresses) + " addresses of one head"};
    at = end + 1;
  }
  head_addresses result{found.front()};
  result.also.assign(found.begin() + 1, found.end());
  return result;
}

} // namespace tune
