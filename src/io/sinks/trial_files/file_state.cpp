// SPDX-License-Identifier: BSD-3-Clause
#include "file_state.hpp"

#include "../../store/posix.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace tune {

namespace {

namespace fs = std::filesystem;

/// @param quotes Whether line ends between double quotes are none.
expected<file_state> state_of(const fs::path& file, bool quotes) {
  file_state result;
  bool quoted = false;
  bool blank = false;
  auto read = for_parts(file, [&](std::string_view part) {
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

expected<file_state> state_of_lines(const fs::path& file) {
  return state_of(file, false);
}

expected<file_state> state_of_table(const fs::path& file) {
  return state_of(file, true);
}

expected<text_state> state_of_text(const fs::path& file, std::string_view whole) {
  if (::access(file.c_str(), F_OK) != 0)
    return text_state::missing;
  std::string text;
  auto read = for_parts(file, [&](std::string_view part) {
    text += part;
    return true;
  });
  if (!read)
    return read.error();
  const bool is_part = text.size() < whole.size() && whole.starts_with(text);
  return is_part || text.find('\0') != text.npos ? text_state::torn : text_state::other;
}

expected<void> for_parts(const fs::path& file, const std::function<bool(std::string_view)>& see) {
  if (::access(file.c_str(), F_OK) != 0)
    return {};
  auto opened = store::open_file(file, O_RDONLY, "read");
  if (!opened)
    return opened.error();
  std::string buffer(64 * 1024, '\0');
  for (;;) {
    const auto count = ::read(opened->number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return store::system_error(file, "read", errno);
    if (count == 0 || !see(std::string_view{buffer}.substr(0, static_cast<std::size_t>(count))))
      return {};
  }
}

} // namespace tune
