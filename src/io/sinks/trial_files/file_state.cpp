// SPDX-License-Identifier: BSD-3-Clause
#include "file_state.hpp"

#include "../../store/posix.hpp"

#include <cerrno>
#include <string>
#include <unistd.h>

namespace tune {

namespace {

/// @param quotes Whether line ends between double quotes are none.
expected<file_state> state_of(const guarded_directory& where, const std::string& name,
                              bool quotes) {
  file_state result;
  bool quoted = false;
  bool blank = false;
  auto read = for_parts(where, name, [&](std::string_view part) {
    for (char c : part) {
      ++result.bytes;
      blank = blank || c == '\0';
      if (quotes && c == '"')
        quoted = !quoted;
      if (c != '\n' || quoted)
        continue;
      ++result.count;
      if (!blank)
        result.whole = result.bytes;
    }
    return true;
  });
  if (!read)
    return read.error();
  return result;
}

} // namespace

expected<file_state> state_of_lines(const guarded_directory& where, const std::string& name) {
  return state_of(where, name, false);
}

expected<file_state> state_of_table(const guarded_directory& where, const std::string& name) {
  return state_of(where, name, true);
}

expected<text_state> state_of_text(const guarded_directory& where, const std::string& name,
                                   std::string_view whole) {
  if (!where.has_file(name))
    return text_state::missing;
  std::string text;
  auto read = for_parts(where, name, [&](std::string_view part) {
    text += part;
    return true;
  });
  if (!read)
    return read.error();
  const bool is_part = text.size() < whole.size() && whole.starts_with(text);
  return is_part || text.find('\0') != text.npos ? text_state::torn : text_state::other;
}

expected<void> for_parts(const guarded_directory& where, const std::string& name,
                         const std::function<bool(std::string_view)>& see) {
  if (!where.has_file(name))
    return {};
  auto opened = where.read(name);
  if (!opened)
    return opened.error();
  std::string buffer(64 * 1024, '\0');
  for (;;) {
    const auto count = ::read(opened->number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return store::system_error(where.path() / name, "read", errno);
    if (count == 0 || !see(std::string_view{buffer}.substr(0, static_cast<std::size_t>(count))))
      return {};
  }
}

} // namespace tune
