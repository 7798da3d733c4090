/// What `fetch` is to copy, and where it lies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "tune/core/error.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>

namespace tune::cli {

/// A directory that is to be fetched, and what it is.
struct fetched_place {
  /// Links in this path are followed, and not in the way on from there: programs could put some
  /// there that lead out.
  std::filesystem::path trusted;
  std::filesystem::path way;
  /// Default name of its copy.
  std::string name;
  /// Nothing: it is the whole experiment.
  std::optional<trial_id> trial;
  /// Says whose checkpoint it is where that is another trial's; empty: it is the trial's own.
  std::string note = {};

  [[nodiscard]] std::filesystem::path path() const { return way.empty() ? trusted : trusted / way; }
};

/// Finds what is meant in the experiment's directory (absolute).
/// @errors `ec::unreadable`, `ec::unknown_name` if there is no such thing; `ec::refused` for a
/// whole
///   experiment that somebody runs; those of the reader.
[[nodiscard]] expected<fetched_place> place_of(const fetch_request& what,
                                               const std::filesystem::path& directory);

[[nodiscard]] error nothing_there(const std::filesystem::path& directory, const std::string& why);

/// Tells whether somebody has led an experiment, or changed its record, since an earlier look: who
/// takes its lock signs the file before anything else.
class record_mark {
public:
  [[nodiscard]] static record_mark of(const std::filesystem::path& directory);
  friend bool operator==(const record_mark&, const record_mark&) = default;

private:
  /// Inode, size, and time of the last change. [s, ns]
  using file_state = std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::int64_t>;
  std::array<file_state, 3> files_{};
};

} // namespace tune::cli
