// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/directory_rights.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Whether the group has the user's name and is thus a private group.
bool is_private(::gid_t group) {
  std::array<char, 16 * 1024> text;
  ::passwd user{};
  ::passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &user, text.data(), text.size(), &found) != 0 || found == nullptr
      || user.pw_gid != group)
    return false;
  const std::string name = user.pw_name;
  ::group entry{};
  ::group* of = nullptr;
  return ::getgrgid_r(group, &entry, text.data(), text.size(), &of) == 0 && of != nullptr
         && name == entry.gr_name;
}

bool keeps_rights(const fs::path& directory) {
  static constexpr std::array<std::uint64_t, 10> made_up{
      0x01021997, // 9p, such as Windows drives
      0x517B,     // SMB
      0xFE534D42, // SMB2
      0xFF534D42, // CIFS
      0x4D44,     // FAT
      0x2011BAB0, // exFAT
      0x5346544E, // NTFS
      0x7366746E, // NTFS3
      0x65735546, // FUSE
      0x786F4256, // shared folders of VirtualBox
  };
  struct ::statfs about {};
  return ::statfs(directory.c_str(), &about) != 0
         || std::find(made_up.begin(), made_up.end(),
                      static_cast<std::uint64_t>(about.f_type) & 0xFFFFFFFF)
                == made_up.end();
}

std::string octal(::mode_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777));
  return text.data();
}

} // namespace

expected<std::string> judge_rights(const fs::path& path, const directory_rights& found,
                                   ::uid_t user) {
  const auto name = path.string();
  const bool by_all = (found.mode & S_IWOTH) != 0;
  if (by_all && (found.mode & S_ISVTX) == 0 && found.kept)
    return error{ec::refused, name + " may be written by everybody (mode " + octal(found.mode)
                                  + "), who could replace what is in it: chmod o-w " + name
                                  + ", or choose another [experiment] storage"};
  if (by_all)
    return name + " may be written by everybody (mode " + octal(found.mode)
           + "): choose an [experiment] storage of your own";
  if ((found.mode & S_IWGRP) != 0 && !found.private_group)
    return name + " may be written by its group (mode " + octal(found.mode)
           + "), who could replace what is in it; chmod g-w " + name + " if it is not to be shared";
  if (found.owner != user && found.owner != 0)
    return name + " belongs to another user (uid " + std::to_string(found.owner)
           + "), who could replace what is in it";
  return std::string{};
}

expected<std::string> check_rights(const fs::path& directory) {
  struct ::stat found {};
  // A missing directory will be created with safe permissions.
  if (::stat(directory.c_str(), &found) != 0)
    return std::string{};
  return judge_rights(
      directory, {found.st_mode, found.st_uid, is_private(found.st_gid), keeps_rights(directory)},
      ::geteuid());
}

} // namespace tune
