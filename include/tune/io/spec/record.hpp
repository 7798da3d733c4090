/// Converts a `spec` to JSON for the experiment's record, and checks changes when it is resumed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/spec/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// All effective values by section and key; the lines of families as lists of pairs, in order.
/// `{"version":1,"ini_dir":"…","experiment":{"name":"digits",…},"space":[["lr","uniform(0,
/// 1)"]],…}`
[[nodiscard]] std::string to_json(const spec& x);

/// Reads the output of `to_json`. Missing keys get their defaults; unknown ones are errors.
/// @errors `ec::bad_syntax`, `ec::bad_option`, `ec::unknown_name`.
[[nodiscard]] expected<spec> spec_from_json(std::string_view text);

/// One difference between two configurations.
struct spec_change {
  /// Full key: "experiment.num_samples", "space.lr".
  std::string key;
  /// Empty if the key was or is missing.
  std::string before;
  std::string after;
  /// Whether an experiment can be resumed with this change.
  bool allowed = false;
  friend bool operator==(const spec_change&, const spec_change&) = default;
};

/// All differences, in the order of the table of keys. The INI's directory is ignored.
[[nodiscard]] std::vector<spec_change> changes(const spec& before, const spec& after);

/// Whether an option of `[search]`, given by its name, decides only when the search ends, not what
/// it proposes: `regret_below` of `auto` and `gp`.
[[nodiscard]] bool ends_search(const spec& x, std::string_view option);

/// Fails with one error for all changes that are not allowed: `ec::refused`, one line with each
/// key's values. The program exits with code 8 then.
[[nodiscard]] expected<void> may_resume(const std::vector<spec_change>& xs);

} // namespace tune
