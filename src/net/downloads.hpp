/// Contents on their way from one package server into this node's store: what to ask for next, what
/// to do with an answer, when to give up. Sends nothing and knows no clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/content_store.hpp"
#include "tune/net/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tune {

struct download_limits {
  std::uint32_t chunk_bytes = 256 * 1024;
  /// Chunks asked for at a time, over all contents.
  std::size_t credit = 4;
  /// Ticks without a chunk that a content may take.
  unsigned patience = 6;
  /// How often a content is begun.
  unsigned tries = 3;
};

/// How a wanted content ended: it is in the store, or why it is not.
struct download_end {
  std::string hash;
  expected<void> result;
};

/// Contents come one after the other, in the order in which they were wanted; the credit that one
/// leaves goes to the next. At most `credit` are under way. For one thread.
class downloads {
public:
  /// @param numbers The last number that was given to a question; shared by all that one actor
  /// asks.
  downloads(const content_store& to, download_limits limits, std::uint64_t& numbers);

  /// Brings a content, once however often it is wanted, and not at all if it is in the store, where
  /// it is read through each time.
  /// @param name For texts.
  void want(const std::string& hash, std::uint64_t size, std::string name);
  /// Nobody wants it any more. What of it is under way is dropped.
  void drop(const std::string& hash);

  /// Questions to be sent now.
  [[nodiscard]] std::vector<chunk_request> due();
  /// Takes an answer; late and doubled ones are dropped.
  /// @returns whether it was one to an open question of this object.
  bool take(const chunk& answer);
  bool take(const chunk_failed& answer);
  /// Some time has passed.
  void tick();
  /// What ended since the last call.
  [[nodiscard]] std::vector<download_end> ended();

private:
  struct wanted {
    std::string hash;
    std::uint64_t size;
    std::string name;
  };
  struct transfer {
    wanted what;
    std::optional<content_writer> to;
    /// Bytes asked for.
    std::uint64_t asked = 0;
    unsigned tries = 0;
    unsigned idle = 0;
  };
  using place = std::list<transfer>::iterator;
  struct question {
    place of;
    std::uint64_t offset;
    std::uint32_t size;
  };

  const content_store& store_;
  download_limits limits_;
  std::uint64_t& numbers_;
  std::list<wanted> queue_;
  std::unordered_map<std::string, std::list<wanted>::iterator> queued_;
  std::list<transfer> active_;
  std::map<std::uint64_t, question> questions_;
  std::vector<download_end> ended_;

  void begin_next();
  place next_to_ask();
  void begin(place x);
  void again(place x, const std::string& why);
  void finish(place x);
  void end(place x, expected<void> how);
  place active(const std::string& hash);
  [[nodiscard]] bool has_questions(const transfer& x) const;
  void forget_questions(place x);
  std::optional<question> answered(std::uint64_t number, const std::string& hash);
};

} // namespace tune
