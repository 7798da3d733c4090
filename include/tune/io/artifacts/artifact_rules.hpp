/// Which files that a trial wrote on a worker come back to the head: `[trainable] artifacts`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Files of one attempt, at most, that `artifacts_max_files` can allow: their list is one message's
/// worth of memory at both ends.
inline constexpr std::uint64_t max_artifact_files = 10'000;

/// `[trainable] artifacts`, `artifacts_max_size` and `artifacts_max_files`.
struct artifact_rules {
  /// Against the trial's directory, in the form of `make_manifest`; "." is all of it. None: nothing
  /// comes back.
  std::vector<std::string> patterns = {};
  /// Of one attempt's artifacts together. 0: no limit. [bytes]
  std::uint64_t max_bytes = 0;
  /// [1 .. max_artifact_files]
  std::uint64_t max_files = max_artifact_files;

  [[nodiscard]] bool wants_any() const { return !patterns.empty(); }

  friend bool operator==(const artifact_rules&, const artifact_rules&) = default;
};

/// Whether this stands for a path below a directory. @errors `ec::bad_option`, which tells why not.
[[nodiscard]] expected<void> check_artifact_pattern(std::string_view pattern);

/// Whether the pattern names this file, or a directory above it. Names that begin with a dot are
/// matched only by a part that begins with one.
/// @param path Relative to the trial's directory, parts joined by '/'.
[[nodiscard]] bool matches_artifact(std::string_view pattern, std::string_view path);

/// Whether something below this directory may match; false: it need not be entered.
[[nodiscard]] bool may_match_below(std::string_view pattern, std::string_view directory);

/// Whether the first name of a path below a trial's directory is one of the runtime's own, so that
/// no artifact may bear it: see docs/trial_files.md.
[[nodiscard]] bool is_runtime_name(std::string_view first);

} // namespace tune
