/// The lines of an INI file: sections, keys, texts and their locations. Grammar: docs/ini.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/fault.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// One `key = text`, from any source.
struct ini_entry {
  std::string section;
  std::string key;
  std::string text;
  config_origin origin;
  /// True if a comment after the text was cut off, which may not have been meant as one.
  bool cut = false;
};

/// Result of a scan.
struct ini_text {
  /// Entries in the order of the file, without refused ones.
  std::vector<ini_entry> entries;
  /// Line where each section first begins.
  std::map<std::string, std::size_t, std::less<>> sections;
};

/// Larger files are refused unread.
inline constexpr std::size_t most_ini_bytes = 8 * 1000 * 1000;

/// Reads a file, but never more than `most_ini_bytes`. Pipes and devices work, too.
/// @errors `ec::unreadable`; `ec::bad_option` if it is too large.
[[nodiscard]] expected<std::string> read_ini_file(const std::filesystem::path& path);

/// Splits `text` into entries: strips the byte-order mark and comments; refuses invalid UTF-8,
/// control characters, unknown sections, duplicate keys and everything else that is not a valid
/// line.
/// @param file Name for origins and faults.
/// @param known_sections Names allowed in brackets.
[[nodiscard]] ini_text scan_ini(std::string_view text, const std::string& file,
                                const std::vector<std::string>& known_sections,
                                config_faults& faults);

/// Applies the rules for lines of the file to entries from other sources: strips surrounding
/// blanks; refuses line breaks, control characters and invalid UTF-8. A printed configuration can
/// then be read back unchanged.
void hold_to_lines(std::vector<ini_entry>& entries, config_faults& faults);

/// `text` as a value for an INI file, with `#` escaped.
[[nodiscard]] std::string ini_escaped(std::string_view text);

/// A hint to append when this entry's text is refused: that `#` cut it, or that `;` starts no
/// comment. Starts with "; "; empty if there is no hint.
[[nodiscard]] std::string hint_for(const ini_entry& x);

} // namespace tune
