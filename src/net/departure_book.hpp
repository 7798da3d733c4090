/// Checkpoints and artifacts on the way to the head. Private to the checkpoint client.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "packer_actor.hpp"

#include "tune/actors/slow_rounds.hpp"
#include "tune/net/wire.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// A checkpoint or artifacts on the way to the head.
struct departure {
  /// Artifacts have no place in the sequence of checkpoints: theirs is 0.
  checkpoint_offer offer;
  /// Called with the reason why it did not arrive; empty: it did.
  std::function<void(const std::string& why)> settle;
  /// Why nobody waits for it any more; empty: somebody does. The head's answer still counts: it may
  /// have stored the checkpoint before it heard of this.
  std::string dropped = {};
};

/// All of them, by number.
class departure_book {
public:
  void add(departure what) { all_.emplace(what.offer.number, std::move(what)); }

  /// The job of one; empty if there is none of this number.
  [[nodiscard]] std::string job_of(std::uint64_t number) const {
    const auto known = all_.find(number);
    return known == all_.end() ? std::string{} : known->second.offer.who.job;
  }
  [[nodiscard]] std::optional<departure> take(std::uint64_t number) {
    auto known = all_.extract(number);
    return known ? std::optional{std::move(known.mapped())} : std::nullopt;
  }
  [[nodiscard]] const std::map<std::uint64_t, departure>& all() const { return all_; }

  /// Marks those of an attempt that was ended by force as dropped. @returns their numbers.
  std::vector<std::uint64_t> drop(const attempt_claim& who) {
    std::vector<std::uint64_t> result;
    for (auto& [number, x] : all_) {
      if (slow_rounds::owner_of(x.offer.who) != slow_rounds::owner_of(who))
        continue;
      x.dropped = x.offer.sequence == 0 ? artifacts_dropped : saves_dropped::why;
      result.push_back(number);
    }
    return result;
  }

private:
  std::map<std::uint64_t, departure> all_;
};

} // namespace tune
