/// Checks ids of jobs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace tune {

/// Whether the text is a valid id of a job, which names a directory.
[[nodiscard]] inline bool is_job_id(const std::string& text) {
  constexpr std::size_t longest = 128;
  return !text.empty() && text.size() <= longest
         && std::all_of(text.begin(), text.end(), [](char c) {
              return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                     || c == '-' || c == '_';
            });
}

} // namespace tune
