// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/error_line.hpp"

#include <algorithm>
#include <array>

namespace tune {

namespace {

bool is_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
         || c == '.' || c == '$';
}

std::string_view without_blanks(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

/// The dotted name of the error that the line names; empty: it names none.
std::string_view error_name(std::string_view line) {
  line = without_blanks(line);
  const auto end = std::find_if_not(line.begin(), line.end(), is_in_name);
  const auto name = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  const auto is_whole = end == line.end() || *end == ':';
  return is_whole && (name.ends_with("Error") || name.ends_with("Exception")) ? name
                                                                              : std::string_view{};
}

bool is_of_trace(std::string_view line) {
  line = without_blanks(line);
  return line.starts_with("File \"") || line.starts_with("Traceback (");
}

bool tells_want_of_memory(std::string_view line) {
  static constexpr std::array<std::string_view, 3> names{"OutOfMemoryError", "MemoryError",
                                                         "_ArrayMemoryError"};
  static constexpr std::array<std::string_view, 6> words{"CUDA out of memory",
                                                         "HIP out of memory",
                                                         "CUDA error: out of memory",
                                                         "HIP error: out of memory",
                                                         "RESOURCE_EXHAUSTED: Out of memory",
                                                         "std::bad_alloc"};
  auto name = error_name(line);
  name.remove_prefix(name.rfind('.') == name.npos ? 0 : name.rfind('.') + 1);
  return std::find(names.begin(), names.end(), name) != names.end()
         || std::any_of(words.begin(), words.end(),
                        [&](std::string_view x) { return line.find(x) != line.npos; });
}

} // namespace

bool names_error(std::string_view line) {
  return !error_name(line).empty();
}

std::optional<std::size_t> error_line_in(std::span<const std::string_view> lines) {
  for (auto i = lines.size(); i > 0 && !is_of_trace(lines[i - 1]); --i) {
    if (names_error(lines[i - 1]))
      return i - 1;
  }
  return std::nullopt;
}

bool names_want_of_memory(std::span<const std::string_view> lines) {
  const auto told = lines.subspan(error_line_in(lines).value_or(0));
  return std::any_of(told.begin(), told.end(), tells_want_of_memory);
}

} // namespace tune
