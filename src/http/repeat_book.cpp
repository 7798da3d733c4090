// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/repeat_book.hpp"

#include <algorithm>
#include <utility>

namespace tune::http {

void repeat_book::drop_old(time_point now) {
  while (!order_.empty()) {
    const auto found = entries_.find(order_.front());
    if (found != entries_.end() && order_.size() < most && now - found->second.since < lifetime)
      return;
    if (found != entries_.end())
      entries_.erase(found);
    order_.pop_front();
  }
}

repeat_book::finding repeat_book::begin(const std::string& key, const std::string& print,
                                        time_point now) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || now - found->second.since >= lifetime) {
    forget(key);
    drop_old(now);
    entries_[key] = {print, now, std::nullopt};
    order_.push_back(key);
    return is_new{};
  }
  if (found->second.print != print)
    return is_other{};
  if (found->second.answer)
    return *found->second.answer;
  return is_open{};
}

void repeat_book::keep(const std::string& key, kept_answer what) {
  if (auto found = entries_.find(key); found != entries_.end())
    found->second.answer = std::move(what);
}

void repeat_book::forget(const std::string& key) {
  if (entries_.erase(key) > 0)
    order_.erase(std::find(order_.begin(), order_.end(), key));
}

} // namespace tune::http
