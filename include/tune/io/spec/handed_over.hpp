/// Determines which parameters are passed to a command's program by name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"
#include "tune/io/spec/spec.hpp"

#include <string>
#include <vector>

namespace tune {

/// The parameters that vary, except those that only distinguish runs of a configuration.
struct handed_parameters {
  /// Parameters named in the command, an `env.`, a template, or the condition of a group or of
  /// another parameter.
  std::vector<std::string> named;
  /// Parameters named nowhere: the program has to read them by itself.
  std::vector<std::string> unnamed;
  /// The first file of the command that was examined and does not read them; empty if there was
  /// none, and the program may well read them.
  std::string looked_into = {};
};

/// Searches for the names as whole words. A word with another meaning can thus hide a missing
/// parameter, but no parameter is reported missing wrongly.
/// @returns empty lists for a trainable that is not a command, or whose program is known to read
///          parameters by itself: the command, an `env.`, a file of the command, or a module that
///          such a script imports from its own directory, mentions `TUNE_TRIAL_PARAM`, `tune_node`
///          or `params_file`.
[[nodiscard]] handed_parameters parameters_handed_to(const spec& what, const search_space& space);

} // namespace tune
