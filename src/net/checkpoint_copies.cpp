// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint_copies.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tune {

std::list<checkpoint_copies::entry>::iterator
checkpoint_copies::find(const std::filesystem::path& where) {
  return std::find_if(all_.begin(), all_.end(),
                      [&](const entry& x) { return x.what.where == where; });
}

bool checkpoint_copies::has_newer(std::list<entry>::const_iterator of) const {
  return std::any_of(std::next(of), all_.end(), [&](const entry& x) {
    return x.what.trial == of->what.trial && x.what.job == of->what.job;
  });
}

void checkpoint_copies::add(checkpoint_copy what) {
  auto known = find(what.where);
  const auto users = known == all_.end() ? 0 : known->users;
  if (known != all_.end())
    all_.erase(known);
  all_.push_back({std::move(what), users});
}

void checkpoint_copies::use(const std::filesystem::path& where) {
  if (auto known = find(where); known != all_.end())
    ++known->users;
}

void checkpoint_copies::release(const std::filesystem::path& where) {
  if (auto known = find(where); known != all_.end() && known->users > 0)
    --known->users;
}

void checkpoint_copies::forget(const std::string& job) {
  std::erase_if(all_, [&](const entry& x) { return x.what.job == job; });
}

std::vector<checkpoint_copy> checkpoint_copies::surplus() {
  std::vector<checkpoint_copy> result;
  std::uint64_t idle = 0;
  for (auto i = all_.begin(); i != all_.end();) {
    if (i->users == 0 && has_newer(i)) {
      result.push_back(std::move(i->what));
      i = all_.erase(i);
      continue;
    }
    idle += i->users == 0 ? i->what.bytes : 0;
    ++i;
  }
  for (auto i = all_.begin(); i != all_.end() && idle > room_;) {
    if (i->users > 0) {
      ++i;
      continue;
    }
    idle -= i->what.bytes;
    result.push_back(std::move(i->what));
    i = all_.erase(i);
  }
  return result;
}

} // namespace tune
