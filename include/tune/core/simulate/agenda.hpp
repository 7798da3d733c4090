/// Future actions and their times: virtual time moves from one entry to the next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tune {

/// Entries in the order of their times; those with equal times in the order of their addition.
class agenda {
public:
  using task = std::function<void()>;

  [[nodiscard]] instant now() const { return now_; }

  /// @param after Delay from now. [>= 0] An entry with 0 precedes all that are due later.
  void add(instant after, task what) {
    if (after.count() <= 0) {
      soon_.push_back(std::move(what));
      return;
    }
    later_.push_back({now_ + after, ++made_, std::move(what)});
    std::push_heap(later_.begin(), later_.end(), comes_later);
  }

  [[nodiscard]] bool empty() const { return soon_.empty() && later_.empty(); }

  /// Time of the next entry; empty if there is none.
  [[nodiscard]] std::optional<instant> next() const {
    if (!soon_.empty())
      return now_;
    return later_.empty() ? std::nullopt : std::optional{later_.front().at};
  }

  /// Advances time to the next entry and carries it out. There must be one.
  void step() {
    task what;
    if (!soon_.empty()) {
      what = std::move(soon_.front());
      soon_.pop_front();
    } else {
      std::pop_heap(later_.begin(), later_.end(), comes_later);
      now_ = std::max(now_, later_.back().at);
      what = std::move(later_.back().what);
      later_.pop_back();
    }
    what();
  }

  /// Lets time pass without any action. @param to Not beyond the next entry.
  void pass(instant to) { now_ = std::max(now_, to); }

private:
  struct entry {
    instant at;
    std::uint64_t order;
    task what;
  };
  static bool comes_later(const entry& x, const entry& y) {
    return std::tie(x.at, x.order) > std::tie(y.at, y.order);
  }

  instant now_{0};
  std::uint64_t made_ = 0;
  std::deque<task> soon_;
  std::vector<entry> later_;
};

} // namespace tune
