/// Writes texts into HTML so that they are shown, and never read as markup.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// Text from anywhere as HTML shows it, in elements and in quoted attributes; control characters
/// are written out as on a terminal. Line ends stay if `lines` is true.
[[nodiscard]] std::string html_text(std::string_view text, bool lines = false);

/// JSON as the content of a `script` element: it holds no `<` that could end it.
[[nodiscard]] std::string json_in_html(std::string json);

/// A column of a table: its head, and whether it holds numbers.
struct html_column {
  std::string title;
  bool is_number = false;
};

/// A table with a row of heads; all cells are texts. Empty without rows.
/// @param caption What it shows, for those who hear it.
[[nodiscard]] std::string html_table(const std::vector<html_column>& columns,
                                     const std::vector<std::vector<std::string>>& rows,
                                     std::string_view caption);

/// "sha256-…" of the content of an inline script or style, as a content security policy names it.
[[nodiscard]] std::string policy_hash(std::string_view content);

} // namespace tune::cli
