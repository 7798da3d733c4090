/// The checkpoints of a job of a worker, on its disk: packed for the head, brought from there,
/// removed when nobody needs them. Blocks on the disk; sends nothing and knows no clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "incoming_checkpoint.hpp"
#include "shared_copies.hpp"

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
  outline_message stream;
};
/// What an attempt wrote, to be packed.
struct pack_artifacts {
  std::uint64_t number = 0;
  keep_artifacts what;
  /// The head's directory of the experiment, where that is here, too; else empty.
  std::filesystem::path shared = {};
};
struct packed_artifacts {
  /// Why none of it, or not all, is there; empty: there is nothing to tell.
  std::string why;
  /// Whether something is to travel.
  bool travels = false;
  outline_message stream = {};
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
  outline_message stream;
};
struct brought {
  std::uint64_t number = 0;
  attempt_prepared how;
};

/// For one thread.
class checkpoint_packer {
public:
  /// @param copies of all jobs of its node.
  checkpoint_packer(incoming_limits limits, std::shared_ptr<shared_copies> copies)
      : limits_{limits}, copies_{std::move(copies)} {}

  /// Lists and hashes a checkpoint, in slices. Where it is to travel its pieces can be read until
  /// `unpack`.
  sliced<packed> packing(pack_order what);
  /// The same of what an attempt wrote; copied in place where its place is the head's.
  sliced<packed_artifacts> packing(pack_artifacts what);
  [[nodiscard]] checkpoint_piece read(const piece_wanted& what);
  void unpack(const unpack_order& what);

  /// Checkpoints that may come at a time.
  static constexpr std::size_t most_at_once = 16;

  /// Brings a checkpoint, unless that very one is here. To one place one after the other.
  void bring(bring_order what);
  void take(const checkpoint_piece& what);
  /// It is not wanted any more: it does not end.
  void drop(std::uint64_t number);
  /// Those whose turn it is: each is to be looked for by `looking_for`, and then `looked` called.
  [[nodiscard]] std::vector<bring_order> to_look_for();
  /// Whether that very one is here. In slices.
  static sliced<bool> looking_for(bring_order what);
  void looked(std::uint64_t number, bool is_here);
  /// What is to be asked for now.
  [[nodiscard]] std::vector<piece_wanted> due();
  /// What came to its end since the last call.
  [[nodiscard]] std::vector<brought> ended();

  /// What the attempt was restored from is not in use any more.
  void leave(const attempt_left& what);
  void forget(const std::string& job);
  /// Removes copies that there is no more room for.
  void tidy(const std::string& job);
  /// Other jobs that have to do that now.
  [[nodiscard]] std::vector<std::string> to_tidy() { return copies_->due(); }

private:
  /// A trial of a job.
  using trial_key = std::pair<std::string, std::uint64_t>;
  /// A checkpoint that is packed, or artifacts.
  struct parcel {
    /// None of artifacts, which stay where they are.
    std::optional<checkpoint_copy> what;
    checkpoint_reader from;
    /// Of artifacts.
    trial_key whose = {};
    std::vector<shipped_file> files = {};
  };
  using user = std::tuple<std::string, std::uint32_t, std::uint64_t>;
  /// One that is to come: it waits, is looked for, and then comes.
  struct arrival {
    bring_order what;
    bool is_looked_for = false;
    std::optional<incoming_checkpoint> from;
  };

  incoming_limits limits_;
  std::shared_ptr<shared_copies> copies_;
  std::map<std::uint64_t, parcel> parcels_;
  /// What each trial's directory had when it was last brought from here: path and hash. A trial
  /// that pauses again and again brings what it wrote since.
  std::map<trial_key, std::map<std::string, std::string>> brought_;
  /// Those that were wanted first stand first.
  std::list<arrival> arrivals_;
  std::vector<brought> ended_;
  /// What attempts were restored from.
  std::map<user, std::filesystem::path> in_use_;

  void leave_out_brought(const trial_key& whose, checkpoint_manifest& from) const;
  sliced<packed> parceling(pack_order what, sliced<draft_kept> work);
  [[nodiscard]] std::list<arrival>::iterator find(std::uint64_t number);
  [[nodiscard]] expected<incoming_checkpoint> begin(const bring_order& what) const;
  void end(std::list<arrival>::iterator which, const error* trouble, bool is_bad = false);
};

} // namespace tune
