/// Takes apart the target of a request: path and query.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/http/messages.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tune::http {

/// Limits of a target.
inline constexpr std::size_t longest_target = 8 * 1024;
inline constexpr std::size_t longest_segment = 1024;
inline constexpr std::size_t most_segments = 32;
inline constexpr std::size_t most_parameters = 64;

struct target {
  /// Decoded, without empty ones: a slash at the end means nothing.
  std::vector<std::string> path;
  query_map query;
};

/// Reads "/a/b%20c?x=1&y=2". Every segment is text that can be the name of a file and nothing else:
/// decoded once, valid UTF-8, without slash, backslash, control character; neither "." nor "..".
/// In the query a plus is a blank.
/// @errors `ec::bad_syntax`, saying what is wrong, without repeating it; `ec::bad_option` beyond a
///         limit.
[[nodiscard]] expected<target> read_target(std::string_view text);

/// Decodes %xx, once. @errors `ec::bad_syntax` for a percent sign without two hexadecimal digits.
[[nodiscard]] expected<std::string> percent_decoded(std::string_view text);

} // namespace tune::http
