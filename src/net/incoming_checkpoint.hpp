/// A checkpoint that arrives from another node, piece by piece. Blocks on the disk; sends nothing
/// and knows no clock.
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
  /// Pieces that were asked for and have not arrived yet. [>= 1]
  std::size_t credit = 4;
  /// Limits of each checkpoint.
  checkpoint_limits most = {};
};

[[nodiscard]] outline_message to_words(const stream_outline& x);
[[nodiscard]] stream_outline from_words(const outline_message& x);

/// Owner of the incoming artifacts, and the limit of their files.
struct artifact_place {
  artifact_source whose;
  std::uint64_t max_files = 0;
};

/// Removes what has arrived unless it was placed. For use by one thread.
class incoming_checkpoint {
public:
  /// @param where The draft, which must not exist yet; its iteration is ignored.
  /// @errors as `checkpoint_writer::begin`.
  [[nodiscard]] static expected<incoming_checkpoint> begin(std::uint64_t number,
                                                           checkpoint_draft where,
                                                           const outline_message& stream,
                                                           const incoming_limits& limits);

  /// Like `begin`, for artifacts, which are put beside the trial's files here.
  [[nodiscard]] static expected<incoming_checkpoint>
  begin_artifacts(std::uint64_t number, checkpoint_draft where, const artifact_place& whose,
                  const outline_message& stream, const incoming_limits& limits);

  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Pieces to ask for now.
  [[nodiscard]] std::vector<piece_wanted> due();
  /// The first piece to ask for; empty: all credit is in use.
  [[nodiscard]] std::optional<piece_wanted> next_due();
  /// Pieces that were asked for and have not arrived yet.
  [[nodiscard]] std::size_t under_way() const { return under_way_; }
  /// @errors `ec::protocol` if the piece is not what was asked for or announced; `ec::storage`;
  ///   `ec::unreachable` if the other side cannot give it.
  [[nodiscard]] expected<void> take(const checkpoint_piece& x);
  [[nodiscard]] bool is_complete() const;
  /// Puts the checkpoint into its place, in slices. @returns its bytes. @errors `ec::storage`.
  static sliced<expected<std::uint64_t>> placing(incoming_checkpoint what);
  /// Like `placing`, but all at once.
  [[nodiscard]] static expected<std::uint64_t> place(incoming_checkpoint what);

  /// Called at regular intervals. @returns the calls since a requested piece last arrived.
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
  /// Empty for a checkpoint.
  std::optional<artifact_place> artifacts_ = {};

  static sliced<expected<std::uint64_t>> placing_beside(incoming_checkpoint what);
};

} // namespace tune
