/// Makes text from outside harmless to its readers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tune {

/// One code point and the bytes it was read from.
struct code_point {
  char32_t point = 0;
  std::size_t bytes = 1;
  /// False for a stray byte.
  bool valid = false;
};

/// The first code point of UTF-8 text. @param text Not empty.
[[nodiscard]] code_point read_code_point(std::string_view text);

/// Makes text from outside harmless: control characters, line breaks and marks that change the
/// direction of writing become visible escapes (`\n`, `\x1b`, `\u202e`); invalid UTF-8 becomes
/// U+FFFD. All text from a trial or a file passes through here before it is shown.
[[nodiscard]] std::string printable(std::string_view text);

/// Makes a text of many lines that comes in parts harmless like `printable`, but keeps line ends
/// and tabs. A carriage return stays only before a line feed, because alone it makes terminals
/// overwrite the line.
class printable_parts {
public:
  /// @returns the text that can be shown so far. An incomplete code point waits for its rest.
  [[nodiscard]] std::string add(std::string_view part);
  /// No more parts will come. @returns the text that was waiting.
  [[nodiscard]] std::string finish();

private:
  std::string waiting_;
};

} // namespace tune
