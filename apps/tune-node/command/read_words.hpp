/// Splits a command line into options, arguments and overrides. Encapsulates Boost.Program_options.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_table.hpp"
#include "tune/core/error.hpp"
#include "tune/io/spec/spec.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

using words = std::vector<std::string>;

/// The words of a command line by kind; not checked against choices yet. Commands read options by
/// the rows of their tables (`bound_option`), not by name.
struct read_result {
  /// Values by the option's long name; a switch has an empty one for each occurrence.
  std::map<std::string, words, std::less<>> options;
  words positionals;
  /// `--section.key value`: dotted name without dashes, and the text of the value; in order.
  std::vector<named_text> overrides;
};

/// Reads the words after a command's name.
/// @errors `ec::bad_syntax`, `ec::unknown_name`: one line that describes the fault.
[[nodiscard]] expected<read_result> read_words(const words& all, const command_doc& where);

/// Position of the command's name: the first word that is neither a global option nor its value.
/// `all.size()` if there is none.
[[nodiscard]] std::size_t command_position(const words& all);

/// "; did you mean 'run'?", or an empty text if no known name is near.
[[nodiscard]] std::string did_you_mean(std::string_view given, const words& known,
                                       std::string_view before = "");

/// Text from the user in single quotes, made printable.
[[nodiscard]] std::string in_single_quotes(std::string_view x);

} // namespace tune::cli
