/// Downloads from one package server into this node's store: what to ask for next, how to handle an
/// answer, when to give up. Sends nothing and knows no clock.
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
  /// Ticks that may pass without a chunk of a content.
  unsigned patience = 6;
  /// Tries per content.
  unsigned tries = 3;
};

/// End of a download: success if the content is in the store, or the error.
struct download_end {
  std::string hash;
  expected<void> result;
};

/// Contents are fetched one after the other, in the order in which they were wanted; credit that
/// one does not use goes to the next. At most `credit` are under way. For use by one thread.
class downloads {
public:
  /// @param numbers Number of the last question; shared by all questions of one actor.
  downloads(const content_store& to, download_limits limits, std::uint64_t& numbers);

  /// Fetches a content once, however often it is wanted; one that is in the store is verified each
  /// time instead.
  /// @param name Name for messages.
  void want(const std::string& hash, std::uint64_t size, std::string name);
  /// Cancels a content that is no longer wanted, even if it is under way.
  void drop(const std::string& hash);

  /// Questions to be sent now.
  [[nodiscard]] std::vector<chunk_request> due();
  /// Takes an answer; late and duplicate ones are ignored.
  /// @returns whether it answers an open question of this object.
  bool take(const chunk& answer);
  bool take(const chunk_failed& answer);
  /// Called at regular intervals.
  void tick();
  /// Downloads that have ended since the last call.
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
    /// Bytes asked for so far.
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
