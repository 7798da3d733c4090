// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/host_pool.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

bool shares_device(const host_key& x, const host_key& y) {
  return std::find_first_of(x.devices.begin(), x.devices.end(), y.devices.begin(), y.devices.end())
         != x.devices.end();
}

} // namespace

void host_pool::give(host_key key, process_handle host) {
  waiting_.push_back({std::move(key), host});
}

std::optional<process_handle> host_pool::take(const host_key& key) {
  auto found = std::find_if(waiting_.rbegin(), waiting_.rend(),
                            [&](const entry& x) { return x.key == key; });
  if (found == waiting_.rend())
    return std::nullopt;
  auto result = found->host;
  waiting_.erase(std::next(found).base());
  return result;
}

std::vector<process_handle> host_pool::make_room(const host_key& key) {
  std::vector<process_handle> result;
  std::erase_if(waiting_, [&](const entry& x) {
    if (!shares_device(x.key, key))
      return false;
    result.push_back(x.host);
    return true;
  });
  if (result.empty() && !waiting_.empty()) {
    result.push_back(waiting_.front().host);
    waiting_.erase(waiting_.begin());
  }
  return result;
}

void host_pool::forget(process_handle host) {
  std::erase_if(waiting_, [&](const entry& x) { return x.host == host; });
}

std::vector<process_handle> host_pool::take_all_of(const std::string& job) {
  std::vector<process_handle> result;
  std::erase_if(waiting_, [&](const entry& x) {
    if (x.key.job != job)
      return false;
    result.push_back(x.host);
    return true;
  });
  return result;
}

std::vector<process_handle> host_pool::clear() {
  std::vector<process_handle> result;
  for (const auto& x : std::exchange(waiting_, {}))
    result.push_back(x.host);
  return result;
}

} // namespace tune
