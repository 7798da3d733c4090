/// The experiments of the head before this one, until each runs or cannot. Private to net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/liveness/retry_pace.hpp"
#include "tune/net/actors.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Which of them are tried, and again when, as a value. An experiment that cannot go on since
/// something is in the way that may pass, such as a record that a stopped process keeps locked, is
/// tried again for as long as the head leads.
class resumptions {
public:
  using milliseconds = std::chrono::milliseconds;
  /// Waits between two tries, each twice as long as the one before. A record that is locked is
  /// waited for besides.
  static constexpr milliseconds first_wait{1'000};
  static constexpr milliseconds most_wait{30'000};

  /// @param key The submission server's number of it.
  void add(std::uint64_t key, fetched_job found) { all_[key].found = std::move(found); }

  [[nodiscard]] std::vector<std::uint64_t> keys() const {
    std::vector<std::uint64_t> result;
    for (const auto& [key, x] : all_)
      result.push_back(key);
    return result;
  }
  [[nodiscard]] bool has(std::uint64_t key) const { return all_.contains(key); }
  /// Whether each runs, cannot, or waits for another try.
  [[nodiscard]] bool all_tried() const {
    return std::all_of(all_.begin(), all_.end(), [](const auto& x) { return x.second.waits; });
  }

  struct next_try {
    milliseconds wait{0};
    /// Whether the cause is another one than before.
    bool is_news = false;
  };
  /// A try has failed. @returns when to try it again; nothing: it is none of these, or waiting
  ///   mends nothing.
  [[nodiscard]] std::optional<next_try> fail(std::uint64_t key, const error& why) {
    const auto known = all_.find(key);
    if (known == all_.end() || !may_pass(why.code))
      return std::nullopt;
    auto& x = known->second;
    x.waits = true;
    next_try result{x.pace.wait(), std::exchange(x.why, why.detail) != why.detail};
    x.pace.lengthen();
    return result;
  }

  /// Another try begins. @returns the files; nothing if none is due.
  [[nodiscard]] std::optional<fetched_job> again(std::uint64_t key) {
    const auto known = all_.find(key);
    if (known == all_.end() || !std::exchange(known->second.waits, false))
      return std::nullopt;
    return known->second.found;
  }

  /// It runs, or is not tried any more. @returns whether another try was due: then the head after
  ///   this one needs its files.
  bool settle(std::uint64_t key) {
    auto gone = all_.extract(key);
    return gone && gone.mapped().waits;
  }

private:
  struct entry {
    fetched_job found;
    /// True between two tries, and before the first.
    bool waits = true;
    retry_pace pace{first_wait, most_wait, {}};
    std::string why = {};
  };
  std::map<std::uint64_t, entry> all_;

  static bool may_pass(ec code) {
    return code == ec::storage || code == ec::shortage || code == ec::unreachable;
  }
};

} // namespace tune
