// SPDX-License-Identifier: BSD-3-Clause
#include "mounts.hpp"

#include "tune/io/files/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <deque>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace tune::files {

namespace fs = std::filesystem;

namespace {

using store::descriptor;

constexpr int as_place = O_PATH | O_NOFOLLOW | O_CLOEXEC;
/// The kernel's limit on symbolic links in a path.
constexpr int most_links = 40;

std::vector<mount_point> all_mounts() {
  std::ifstream from{"/proc/self/mountinfo"};
  return parse_mounts(from);
}

bool always_answers(const std::string& type) {
  static const std::set<std::string> kinds{"bcachefs", "btrfs",   "devtmpfs", "exfat",    "ext2",
                                           "ext3",     "ext4",    "f2fs",     "iso9660",  "jfs",
                                           "ntfs3",    "overlay", "ramfs",    "reiserfs", "rootfs",
                                           "squashfs", "tmpfs",   "vfat",     "xfs",      "zfs"};
  return kinds.contains(type);
}

/// The target of a symbolic link; empty if it is not a link.
std::optional<fs::path> target_of(int opened) {
  struct ::stat about {};
  std::string text(PATH_MAX, '\0');
  if (::fstat(opened, &about) != 0 || !S_ISLNK(about.st_mode))
    return std::nullopt;
  const auto size = ::readlinkat(opened, "", text.data(), text.size());
  return fs::path{text.substr(0, static_cast<std::size_t>(std::max<::ssize_t>(size, 0)))};
}

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

/// Decodes octal escapes such as "\040" for a space.
std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_code = text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1])
                         && is_octal(text[i + 2]) && is_octal(text[i + 3]);
    if (!is_code) {
      result += text[i];
      continue;
    }
    result += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
    i += 3;
  }
  return result;
}

} // namespace

std::vector<mount_point> parse_mounts(std::istream& from) {
  std::vector<mount_point> result;
  for (std::string line; std::getline(from, line);) {
    std::istringstream words{line};
    std::string word;
    std::string where;
    int id = 0;
    words >> id;
    // Skips the parent's id, the device and the root.
    for (int i = 0; i < 3; ++i)
      words >> word;
    words >> where;
    while (words >> word && word != "-") {}
    if (words >> word)
      result.push_back({id, unescaped(where), word});
  }
  return result;
}

std::vector<mount_point> mounts_in(const fs::path& directory) {
  auto all = all_mounts();
  const auto root = directory.lexically_normal();
  std::erase_if(all, [&](const mount_point& x) {
    return std::mismatch(root.begin(), root.end(), x.where.begin(), x.where.end()).first
           != root.end();
  });
  return all;
}

std::optional<int> mount_of(int opened) {
  const auto file = "/proc/self/fdinfo/" + std::to_string(opened);
  const descriptor about{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  std::array<char, 512> text{};
  const auto size = about.number() < 0 ? -1 : ::read(about.number(), text.data(), text.size());
  constexpr std::string_view word = "mnt_id:";
  const std::string_view all{text.data(), static_cast<std::size_t>(std::max<::ssize_t>(size, 0))};
  auto at = all.find(word);
  if (at != all.npos)
    at = all.find_first_not_of(" \t", at + word.size());
  int result = 0;
  if (at == all.npos
      || std::from_chars(all.data() + at, all.data() + all.size(), result).ec != std::errc{})
    return std::nullopt;
  return result;
}

answering_mounts::answering_mounts(int home) {
  const auto all = all_mounts();
  is_known_ = !all.empty();
  for (const auto& x : all) {
    if (always_answers(x.type))
      ids_.insert(x.id);
  }
  if (auto id = home < 0 ? std::nullopt : mount_of(home))
    ids_.insert(*id);
}

bool answering_mounts::holds(int opened) const {
  if (!is_known_)
    return true;
  const auto id = mount_of(opened);
  return id && ids_.contains(*id);
}

store::descriptor answering_mounts::open(const fs::path& path, int from) const {
  const auto none = [](int why) {
    errno = why;
    return descriptor{-1};
  };
  std::error_code why;
  const auto whole = from < 0 ? fs::absolute(path, why) : path;
  std::deque<fs::path> names{whole.begin(), whole.end()};
  descriptor at{-1};
  for (int links = 0; !names.empty();) {
    const auto name = std::move(names.front());
    names.pop_front();
    if (name.empty())
      continue;
    descriptor next{::openat(at.number() < 0 ? from : at.number(), name.c_str(), as_place)};
    if (next.number() < 0)
      return next;
    if (!holds(next.number()))
      return none(EXDEV);
    const auto target = target_of(next.number());
    if (!target) {
      at = std::move(next);
      continue;
    }
    if (++links > most_links)
      return none(ELOOP);
    names.insert(names.begin(), target->begin(), target->end());
  }
  return at;
}

} // namespace tune::files
