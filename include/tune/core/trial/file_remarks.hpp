/// Remarks on an attempt's files that stand below its error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tune {

/// Parts of these remarks, by which they are known again in an attempt's detail.
inline constexpr std::string_view artifacts_missing_begins = "what it wrote on node ";
inline constexpr std::string_view artifacts_missing = " is not all here: ";
inline constexpr std::string_view output_missing_begins
    = "not all that it printed is in its files: ";
inline constexpr std::string_view file_replaced_ends = " and is replaced by a new file";

/// Tells people that files which an attempt wrote did not all come to the head.
[[nodiscard]] inline std::string missing_artifacts_text(const std::string& node,
                                                        const std::string& why) {
  return std::string{artifacts_missing_begins} + node + std::string{artifacts_missing} + why;
}

/// Tells people that output files are not complete.
[[nodiscard]] inline std::string missing_output_text(const std::string& why) {
  return std::string{output_missing_begins} + why;
}

/// Whether a line of an attempt's detail speaks of its files alone, perhaps of those of one rank:
/// it says nothing of why the attempt failed. Lines of a program's output are indented there.
[[nodiscard]] inline bool is_file_remark(std::string_view line) {
  constexpr std::string_view rank = "rank ";
  if (line.starts_with(rank)) {
    const auto digits = line.find_first_not_of("0123456789", rank.size());
    if (digits != line.npos && digits > rank.size() && line.substr(digits).starts_with(": "))
      line.remove_prefix(digits + 2);
  }
  if (line.starts_with(' '))
    return false;
  return line.starts_with(output_missing_begins) || line.ends_with(file_replaced_ends)
         || (line.starts_with(artifacts_missing_begins)
             && line.find(artifacts_missing) != line.npos);
}

/// The detail of an attempt's end without the remarks on its files; its first line stays.
[[nodiscard]] inline std::string without_file_remarks(std::string_view detail) {
  std::string result{detail.substr(0, detail.find('\n'))};
  for (auto at = result.size(); at < detail.size();) {
    const auto end = std::min(detail.find('\n', at + 1), detail.size());
    if (!is_file_remark(detail.substr(at + 1, end - at - 1)))
      result += detail.substr(at, end - at);
    at = end;
  }
  return result;
}

} // namespace tune
