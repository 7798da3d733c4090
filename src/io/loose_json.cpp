// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/loose_json.hpp"

namespace tune {

namespace {

/// Length of a non-finite literal at the beginning of `text`, or 0.
std::size_t bare_literal(std::string_view text) {
  for (std::string_view literal : {"NaN", "Infinity", "-Infinity"}) {
    if (text.starts_with(literal))
      return literal.size();
  }
  return 0;
}

/// Puts non-finite literals outside of strings into quotes, in the spelling of metrics.
std::string with_quoted_literals(std::string_view text) {
  std::string result;
  auto in_text = false;
  for (std::size_t at = 0; at < text.size();) {
    auto c = text[at];
    if (auto size = in_text ? 0 : bare_literal(text.substr(at)); size != 0) {
      result += c == 'N' ? "\"nan\"" : c == 'I' ? "\"inf\"" : "\"-inf\"";
      at += size;
      continue;
    }
    if (in_text && c == '\\' && at + 1 < text.size()) {
      result += text.substr(at, 2);
      at += 2;
      continue;
    }
    in_text = in_text != (c == '"');
    result += c;
    ++at;
  }
  return result;
}

/// @param read Reads strict JSON.
template <class Read>
auto read_loosely(std::string_view text, const Read& read) {
  auto result = read(text);
  if (result || result.error().code != ec::bad_syntax || text.find_first_of("NI") == text.npos)
    return result;
  auto again = read(std::string_view{with_quoted_literals(text)});
  // The positions in the first error refer to the original text.
  return again ? again : result;
}

} // namespace

expected<object> object_from_loose_json(std::string_view text, json_position where,
                                        const json_limits& limits) {
  return read_loosely(text, [&](std::string_view x) { return object_from_json(x, where, limits); });
}

expected<value> from_loose_json(std::string_view text, json_position where,
                                const json_limits& limits) {
  return read_loosely(text, [&](std::string_view x) { return from_json(x, where, limits); });
}

} // namespace tune
