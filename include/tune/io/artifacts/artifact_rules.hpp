/// Rules that select the files of a trial to be brought from a worker to the head: `[trainable]
/// artifacts`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Upper bound of `artifacts_max_files`: the list of an attempt's files is held in memory as one
/// message at both ends.
inline constexpr std::uint64_t max_artifact_files = 10'000;

/// `[trainable] artifacts`, `artifacts_max_size` and `artifacts_max_files`.
struct artifact_rules {
  /// Patterns relative to the trial's directory, in the form of `make_manifest`; "." selects the
  /// whole directory. If empty, nothing is brought back.
  std::vector<std::string> patterns = {};
  /// Limit for the total size of one attempt's artifacts. 0: no limit. [bytes]
  std::uint64_t max_bytes = 0;
  /// [1 .. max_artifact_files]
  std::uint64_t max_files = max_artifact_files;

  [[nodiscard]] bool wants_any() const { return !patterns.empty(); }

  friend bool operator==(const artifact_rules&, const artifact_rules&) = default;
};

/// Checks that a pattern describes a path below a directory. @errors `ec::bad_option` with the
/// reason.
[[nodiscard]] expected<void> check_artifact_pattern(std::string_view pattern);

/// Whether the pattern matches this file, or a directory above it. Names that begin with a dot are
/// matched only by a part that begins with a dot.
/// @param path Relative to the trial's directory, parts joined by '/'.
[[nodiscard]] bool matches_artifact(std::string_view pattern, std::string_view path);

/// Whether something below this directory may match; if false, the directory need not be entered.
[[nodiscard]] bool may_match_below(std::string_view pattern, std::string_view directory);

/// Whether the first part of a path below a trial's directory is one of the runtime's own names,
/// which no artifact may have: see docs/trial_files.md.
[[nodiscard]] bool is_runtime_name(std::string_view first);

} // namespace tune
