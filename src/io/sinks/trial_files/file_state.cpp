// SPDX-License-Identifier: BSD-3-Clause
#include "file_state.hpp"

#include "posix/posix.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace tune {

namespace {

/// The file's size; 0 if it is missing or not a regular file.
std::uint64_t size_of(const guarded_directory& where, const std::string& name) {
  struct ::stat about {};
  return where.has_file(name)
                 && ::fstatat(where.number(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0
             ? static_cast<std::uint64_t>(about.st_size)
             : 0;
}

/// @param quotes If set, line ends between double quotes do not count.
expected<trial_file_state> state_of(const guarded_directory& where, const std::string& name,
                                    std::uint64_t most, bool quotes) {
  trial_file_state result;
  const auto size = size_of(where, name);
  if (size > most)
    return trial_file_state{0, size, 0};
  bool quoted = false;
  auto read = for_parts(where, name, [&](std::string_view part) {
    for (char c : part) {
      if (c == '\0')
        return false;
      ++result.bytes;
      if (quotes && c == '"')
        quoted = !quoted;
      if (c != '\n' || quoted)
        continue;
      ++result.count;
      result.whole = result.bytes;
    }
    // The file may grow while it is read.
    return result.bytes <= most;
  });
  if (!read)
    return read.error();
  result.bytes = std::max(result.bytes, size);
  return result;
}

} // namespace

expected<trial_file_state> state_of_lines(const guarded_directory& where, const std::string& name,
                                          std::uint64_t most) {
  return state_of(where, name, most, false);
}

expected<trial_file_state> state_of_table(const guarded_directory& where, const std::string& name,
                                          std::uint64_t most) {
  return state_of(where, name, most, true);
}

expected<text_state> state_of_text(const guarded_directory& where, const std::string& name,
                                   std::string_view whole) {
  if (!where.has_file(name))
    return text_state::missing;
  std::string text;
  auto read = for_parts(where, name, [&](std::string_view part) {
    text += part.substr(0, whole.size() - text.size());
    return text.size() < whole.size();
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
