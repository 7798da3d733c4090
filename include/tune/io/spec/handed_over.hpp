/// Which parameters a command's program is handed by name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"
#include "tune/io/spec/spec.hpp"

#include <string>
#include <vector>

namespace tune {

/// The parameters that vary, but for those that only tell runs of a configuration apart.
struct handed_parameters {
  /// In the command, an `env.`, a template, or the condition of a group or of another parameter.
  std::vector<std::string> named;
  /// Nowhere there: the program has to read them by itself.
  std::vector<std::string> unnamed;
  /// The first file of the command that was looked into, and that does not read them; empty: there
  /// was none, and the program may well.
  std::string looked_into = {};
};

/// Looks for the names as whole words, so that a word which means something else hides what is
/// missing, and never the other way round.
/// @returns nothing of a trainable that is no command, or whose program is known to read parameters
///          by itself: the command, an `env.` or a file of the command, or one that such
///          a script imports from beside itself, says `TUNE_TRIAL_PARAM`, `tune_node` or
///          `params_file`.
[[nodiscard]] handed_parameters parameters_handed_to(const spec& what, const search_space& space);

} // namespace tune
