/// The checkpoints of a worker, on its disk: packed for the head, brought from there, removed when
/// nobody needs them. Blocks on the disk; sends nothing and knows no clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "checkpoint_copies.hpp"
#include "incoming_checkpoint.hpp"

#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/net/wire.hpp"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tune {

/// A checkpoint to be packed, and whether its place is the head's.
struct pack_order {
  std::uint64_t number = 0;
  keep_draft what;
  bool is_shared = false;
};
struct packed {
  draft_kept kept;
  /// Which one of its attempt.
  std::uint64_t sequence = 0;
  outline_words stream;
};
/// Nobody wants its pieces any more.
struct unpack_order {
  std::uint64_t number = 0;
  bool is_at_head = false;
};
/// A checkpoint to be brought from the head.
struct bring_order {
  std::uint64_t number = 0;
  prepare_attempt what;
  outline_words stream;
};
struct brought {
  std::uint64_t number = 0;
  attempt_prepared how;
};

/// For one thread.
class checkpoint_packer {
public:
  /// @param room as in `checkpoint_copies`.
  checkpoint_packer(incoming_limits limits, std::uint64_t room) : limits_{limits}, copies_{room} {}

  /// Lists and hashes a checkpoint. Where it is to travel its pieces can be read until `unpack`.
  [[nodiscard]] packed pack(const pack_order& what);
  [[nodiscard]] checkpoint_piece read(const piece_wanted& what);
  void unpack(const unpack_order& what);

  /// Brings a checkpoint, unless that very one is here. One after the other.
  void bring(bring_order what);
  void take(const checkpoint_piece& what);
  /// It is not wanted any more: it does not end.
  void drop(std::uint64_t number);
  /// What is to be asked for now.
  [[nodiscard]] std::vector<piece_wanted> due();
  /// What came to its end since the last call.
  [[nodiscard]] std::vector<brought> ended();

  void leave(const attempt_left& what);
  void forget(const std::string& job);

private:
  /// A checkpoint that is packed.
  struct parcel {
    checkpoint_copy what;
    checkpoint_reader from;
  };
  using user = std::tuple<std::string, std::uint32_t, std::uint64_t>;

  incoming_limits limits_;
  checkpoint_copies copies_;
  std::map<std::uint64_t, parcel> parcels_;
  std::deque<bring_order> wanted_;
  /// The first of `wanted_`, while it comes.
  std::optional<incoming_checkpoint> now_;
  std::vector<brought> ended_;
  /// What attempts were restored from.
  std::map<user, std::filesystem::path> in_use_;

  void begin_next();
  [[nodiscard]] expected<bool> begin(const bring_order& what);
  void end(attempt_prepared how);
  void tidy();
};

} // namespace tune
