/// A job's checkpoints on a worker's disk: packs them for the head, brings them from there, and
/// removes them when no longer needed. Blocks on the disk; sends nothing and knows no clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "incoming_checkpoint.hpp"
#include "shared_copies.hpp"

#include "tune/actors/local_messages.hpp"
#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/io/files/sliced.hpp"
#include "tune/net/wire.hpp"

#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tune {

/// A checkpoint to be packed, and whether it lies in the head's own directory.
struct pack_order {
  std::uint64_t number = 0;
  keep_draft what;
  bool is_shared = false;
};
struct packed {
  draft_kept kept;
  /// Number of the checkpoint within its attempt.
  std::uint64_t sequence = 0;
  outline_message stream;
};
/// Artifacts of an attempt, to be packed.
struct pack_artifacts {
  std::uint64_t number = 0;
  keep_artifacts what;
};
struct packed_artifacts {
  /// Why some or all artifacts are missing; empty: nothing to report.
  std::string why;
  /// True if there is something to send.
  bool travels = false;
  outline_message stream = {};
};
/// Pieces of this checkpoint are no longer needed.
struct unpack_order {
  std::uint64_t number = 0;
  bool is_at_head = false;
};
/// A checkpoint to be brought from the head.
struct bring_order {
  std::uint64_t number = 0;
  prepare_attempt what;
  outline_message stream;
};
struct brought {
  std::uint64_t number = 0;
  attempt_prepared how;
};

/// For use by one thread.
class checkpoint_packer {
public:
  /// @param copies Copies of all jobs of the node.
  checkpoint_packer(incoming_limits limits, std::shared_ptr<shared_copies> copies)
      : limits_{limits}, copies_{std::move(copies)} {}

  /// Lists and hashes a checkpoint, in slices. If it is to travel, its pieces can be read until
  /// `unpack`.
  sliced<packed> packing(pack_order what);
  /// Like the above, for artifacts.
  sliced<packed_artifacts> packing(pack_artifacts what);
  [[nodiscard]] checkpoint_piece read(const piece_wanted& what);
  void unpack(const unpack_order& what);

  /// Checkpoints that may come at a time.
  static constexpr std::size_t most_at_once = 16;

  /// Brings a checkpoint, unless the very same one is here. Those for one place come one by one.
  void bring(bring_order what);
  void take(const checkpoint_piece& what);
  /// Cancels a checkpoint that is no longer wanted; it does not appear in `ended`.
  void drop(std::uint64_t number);
  /// Checkpoints whose turn it is: run `looking_for` for each, and then call `looked`.
  [[nodiscard]] std::vector<bring_order> to_look_for();
  /// Tells whether the very same checkpoint is here. In slices.
  static sliced<bool> looking_for(bring_order what);
  void looked(std::uint64_t number, bool is_here);
  /// Pieces to ask for now.
  [[nodiscard]] std::vector<piece_wanted> due();
  /// Checkpoints that have arrived or failed since the last call.
  [[nodiscard]] std::vector<brought> ended();

  /// Notes that the attempt no longer uses what it was restored from.
  void leave(const attempt_left& what);
  void forget(const std::string& job);
  /// Removes copies beyond the limit.
  void tidy(const std::string& job);
  /// Other jobs for which `tidy` is due.
  [[nodiscard]] std::vector<std::string> to_tidy() { return copies_->due(); }

private:
  /// Job and trial.
  using trial_key = std::pair<std::string, std::uint64_t>;
  /// A packed checkpoint, or artifacts.
  struct parcel {
    /// Empty for artifacts, which stay where they are.
    std::optional<checkpoint_copy> what;
    checkpoint_reader from;
    /// For artifacts only, with `files`.
    trial_key whose = {};
    std::vector<shipped_file> files = {};
  };
  using user = std::tuple<std::string, std::uint32_t, std::uint64_t>;
  /// A checkpoint to be brought: it waits, is looked for, and then arrives.
  struct arrival {
    bring_order what;
    bool is_looked_for = false;
    std::optional<incoming_checkpoint> from;
  };

  incoming_limits limits_;
  std::shared_ptr<shared_copies> copies_;
  std::map<std::uint64_t, parcel> parcels_;
  /// Files of each trial that were sent from here last: path and hash. A trial that pauses again
  /// and again sends only what it wrote since.
  std::map<trial_key, std::map<std::string, std::string>> brought_;
  /// In the order in which they were wanted.
  std::list<arrival> arrivals_;
  std::vector<brought> ended_;
  /// Checkpoints that attempts were restored from.
  std::map<user, std::filesystem::path> in_use_;

  void leave_out_brought(const trial_key& whose, checkpoint_manifest& from) const;
  sliced<packed> parceling(pack_order what, sliced<draft_kept> work);
  [[nodiscard]] std::list<arrival>::iterator find(std::uint64_t number);
  [[nodiscard]] expected<incoming_checkpoint> begin(const bring_order& what) const;
  void end(std::list<arrival>::iterator which, const error* trouble, bool is_bad = false);
};

} // namespace tune
