/// The lines of an INI file: sections, keys, texts, and where each stands. Grammar: docs/ini.md.
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

/// One `key = text`, of whichever source.
struct ini_entry {
  std::string section;
  std::string key;
  std::string text;
  config_origin origin;
  /// A comment was cut off behind the text: perhaps it was not meant as one.
  bool cut = false;
};

/// What a scan found.
struct ini_text {
  /// In the order of the file, without those that were refused.
  std::vector<ini_entry> entries;
  /// Line where each section first begins.
  std::map<std::string, std::size_t, std::less<>> sections;
};

/// Files beyond this are refused unread.
inline constexpr std::size_t most_ini_bytes = 8 * 1000 * 1000;

/// Reads a file, but never more than `most_ini_bytes`. Pipes and devices will do, too.
/// @errors `ec::unreadable`; `ec::bad_option` where it is too large.
[[nodiscard]] expected<std::string> read_ini_file(const std::filesystem::path& path);

/// Splits `text` into entries: strips the byte-order mark and comments, refuses what is not
/// UTF-8, control characters, unknown sections, doubled keys and everything that is no line.
/// @param file Named in origins and faults.
/// @param known_sections Names that may stand in brackets.
[[nodiscard]] ini_text scan_ini(std::string_view text, const std::string& file,
                                const std::vector<std::string>& known_sections,
                                config_faults& faults);

/// Takes what comes from elsewhere as the file's lines would be taken: without the blanks around
/// it; refused where it has line breaks or control characters, or is not UTF-8. A configuration
/// that is printed can then be read back as it was.
void hold_to_lines(std::vector<ini_entry>& entries, config_faults& faults);

/// `text` as a value of an INI file: `#` escaped.
[[nodiscard]] std::string ini_escaped(std::string_view text);

/// What to say beside a refusal of this entry's text: that `#` cut it, that `;` is no comment.
/// Starts with "; "; empty where there is nothing to say.
[[nodiscard]] std::string hint_for(const ini_entry& x);

} // namespace tune
