/// Prints configurations for users: `config print`, `config explain`, `--help-all`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/load.hpp"
#include "tune/io/spec/spec.hpp"

#include <string>
#include <vector>

namespace tune {

/// A commented INI file with all effective values; loading it gives the same `spec`, except for
/// `ini_dir`, which is the base of relative paths, and a mode that has no effect, which is a
/// comment.
/// @param of Provides the catalogues whose option texts become comments.
[[nodiscard]] std::string print_spec(const spec& x, const load_request& of);

/// A value and its origin.
struct explained_value {
  /// "experiment.metric".
  std::string key;
  std::string text;
  /// In the form of `to_text` of a `config_origin`.
  std::string origin;
};

/// All values, in the order of the keys.
[[nodiscard]] std::vector<explained_value> explained_values(const loaded_spec& x);
/// One line per value: full key, value and origin.
[[nodiscard]] std::string explain_spec(const loaded_spec& x);

/// Every key as a command-line option: form, meaning, default, environment variable.
[[nodiscard]] std::string help_all_keys();

} // namespace tune
