/// The ranks of one attempt: when each begins and is told to end, and when the attempt is over.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/command.hpp"
#include "tune/core/trial/end_class.hpp"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace tune {

/// Commands of a rank group to its owner.
namespace rank_cmd {

/// Start this rank on the node of its bundle. [rank >= 1]
struct launch {
  std::uint32_t rank = 0;
  friend bool operator==(const launch&, const launch&) = default;
};
/// Tell this rank to end.
struct halt {
  std::uint32_t rank = 0;
  halt_mode how = halt_mode::kill;
  friend bool operator==(const halt&, const halt&) = default;
};
/// Nothing of the attempt runs any more: it ended like rank `as`.
struct over {
  std::uint32_t as = 0;
  friend bool operator==(const over&, const over&) = default;
};

} // namespace rank_cmd

using rank_command = std::variant<rank_cmd::launch, rank_cmd::halt, rank_cmd::over>;
using rank_commands = std::vector<rank_command>;

/// The rules of an attempt that runs one process per bundle, as a value: events in, commands out.
///
/// Rank 0 is the one that reports and saves. It begins first, since it names the port at which the
/// others meet; they begin once it runs. The first rank that fails ends all, and its failure is the
/// attempt's; if rank 0 ends well that is the attempt's end, however the others end, and those that
/// still run are told to stop. While rank 0 is about to end, because it was told to or has
/// announced it, failures of the others do not count, since they lose their peer; they count after
/// all if rank 0 goes on.
///
/// Its promise: **the attempt is over once, and not while any of its ranks runs.**
class rank_group {
public:
  /// Rank 0 is launched.
  /// @param ranks Number of ranks. [>= 1]
  explicit rank_group(std::uint32_t ranks = 1);

  /// Rank 0 runs.
  [[nodiscard]] rank_commands begun();
  /// Nothing of the rank runs any more. A repeated call has no effect.
  [[nodiscard]] rank_commands ended(std::uint32_t rank, end_class how);
  /// The attempt is told to end.
  [[nodiscard]] rank_commands halt(halt_mode how);
  /// Rank 0 is about to end: it was told to at its last report, or announced that report as its
  /// last.
  void let_end() { is_leaving_ = true; }
  /// Rank 0 does not end after all: its save failed.
  [[nodiscard]] rank_commands goes_on();

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
  [[nodiscard]] bool is_over() const { return is_over_; }

private:
  enum class stage : std::uint8_t { absent, runs, gone };

  std::vector<stage> ranks_;
  /// The rank that decides how the attempt ended.
  std::optional<std::uint32_t> verdict_;
  /// The first rank that failed while rank 0 was about to end.
  std::optional<std::uint32_t> missed_;
  bool is_leaving_ = false;
  /// True once nothing more begins.
  bool is_closing_ = false;
  bool is_over_ = false;

  void halt_others(std::uint32_t but, halt_mode how, rank_commands& out);
  void finish_if_gone(rank_commands& out);
  void fail(std::uint32_t rank, rank_commands& out);
};

} // namespace tune
