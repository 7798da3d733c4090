/// A checkpoint that comes from another node, piece by piece. Blocks on the disk; sends nothing and
/// knows no clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "piece_window.hpp"

#include "tune/core/error.hpp"
#include "tune/io/artifacts/artifacts.hpp"
#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/io/checkpoint/commit_checkpoint.hpp"
#include "tune/net/wire.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tune {

struct incoming_limits {
  /// Bytes of one piece. [1 .. max_chunk_bytes]
  std::uint32_t piece_bytes = 256 * 1024;
  /// Pieces asked for and not there yet. [>= 1]
  std::size_t credit = 4;
  /// What each checkpoint may hold.
  checkpoint_limits most = {};
};

[[nodiscard]] outline_message to_words(const stream_outline& x);
[[nodiscard]] stream_outline from_words(const outline_message& x);

/// Whose artifacts come, and how many at most.
struct artifact_place {
  artifact_source whose;
  std::uint64_t max_files = 0;
};

/// Removes what came unless it was placed. For one thread.
class incoming_checkpoint {
public:
  /// @param where The draft; it must not be there, and its iteration is of no account.
  /// @errors as `checkpoint_writer::begin`.
  [[nodiscard]] static expected<incoming_checkpoint> begin(std::uint64_t number,
                                                           checkpoint_draft where,
                                                           const outline_message& stream,
                                                           const incoming_limits& limits);

  /// Artifacts come instead, which are put beside what their trial wrote here.
  [[nodiscard]] static expected<incoming_checkpoint>
  begin_artifacts(std::uint64_t number, checkpoint_draft where, const artifact_place& whose,
                  const outline_message& stream, const incoming_limits& limits);

  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// What is to be asked for now.
  [[nodiscard]] std::vector<piece_wanted> due();
  /// The first of it; nothing: it has all its credit under way.
  [[nodiscard]] std::optional<piece_wanted> next_due();
  /// Pieces asked for and not there yet.
  [[nodiscard]] std::size_t under_way() const { return under_way_; }
  /// @errors `ec::protocol` where it is not what was asked for or announced; `ec::storage`;
  ///   `ec::unreachable` where the other side cannot give it.
  [[nodiscard]] expected<void> take(const checkpoint_piece& x);
  [[nodiscard]] bool is_complete() const;
  /// Puts it into its place, in slices. @returns its bytes. @errors `ec::storage`.
  static sliced<expected<std::uint64_t>> placing(incoming_checkpoint what);
  /// All of it at once.
  [[nodiscard]] static expected<std::uint64_t> place(incoming_checkpoint what);

  /// Time passes. @returns how many times it did since something came that was asked for.
  unsigned tick() { return under_way_ > 0 ? ++idle_ : idle_; }

private:
  incoming_checkpoint(std::uint64_t number, checkpoint_draft where, checkpoint_writer to,
                      piece_window window)
      : number_{number}, where_{std::move(where)}, to_{std::move(to)}, window_{window} {}

  std::uint64_t number_;
  checkpoint_draft where_;
  checkpoint_writer to_;
  piece_window window_;
  unsigned idle_ = 0;
  std::size_t under_way_ = 0;
  /// None: a checkpoint.
  std::optional<artifact_place> artifacts_ = {};

  static sliced<expected<std::uint64_t>> placing_beside(incoming_checkpoint what);
};

} // namespace tune
