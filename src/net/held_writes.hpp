/// What a worker is to write into a directory that it shares with its head, and may not while the
/// head is away. Private to net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/slow_rounds.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Holds writes back, in order: a head that gave the attempts up may have begun others in their
/// place, and nobody would tell their files apart. Lives in the state of the checkpoint client.
class held_writes {
public:
  struct write {
    attempt_claim who;
    std::function<void()> go;
    std::function<void(const std::string& why)> fail;
  };

  void add(write what) { all_.push_back(std::move(what)); }

  /// The head is back, and counts on the attempts that are left.
  void let_go() {
    for (const auto& x : std::exchange(all_, {}))
      x.go();
  }

  /// Nobody waits for the writes of the attempt any more.
  void drop(const attempt_claim& who, const std::string& why) {
    auto [gone, left] = split(who);
    all_ = std::move(left);
    for (const auto& x : gone)
      x.fail(why);
  }

  void give_up(const std::string& why) {
    for (const auto& x : std::exchange(all_, {}))
      x.fail(why);
  }

private:
  std::vector<write> all_;

  [[nodiscard]] std::pair<std::vector<write>, std::vector<write>> split(const attempt_claim& who) {
    std::pair<std::vector<write>, std::vector<write>> result;
    for (auto& x : all_) {
      const auto is_its = slow_rounds::owner_of(x.who) == slow_rounds::owner_of(who);
      (is_its ? result.first : result.second).push_back(std::move(x));
    }
    return result;
  }
};

} // namespace tune
