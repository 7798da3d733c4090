// SPDX-License-Identifier: BSD-3-Clause
#include "small_files.hpp"

#include "posix/posix.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace tune {
namespace {

using store::descriptor;
using store::system_error;

constexpr std::size_t longest_file = 1024 * 1024;
constexpr mode_t open_mode = 0644;
constexpr mode_t secret_mode = 0600;
constexpr mode_t not_the_owner = 0077;

/// A file written next to its destination; removed unless it was published.
class staged_file {
public:
  staged_file(const new_file& what, std::filesystem::path beside)
      : what_{what}, beside_{std::move(beside)} {}
  staged_file(staged_file&& other) noexcept
      : what_{other.what_}, beside_{std::exchange(other.beside_, {})} {}
  staged_file& operator=(staged_file&&) = delete;
  ~staged_file() {
    if (!beside_.empty())
      ::unlink(beside_.c_str());
  }

  /// Moves the file to its final name.
  expected<void> publish() {
    if (what_.replaces) {
      if (::rename(beside_.c_str(), what_.path.c_str()) != 0)
        return system_error(what_.path, "replace", errno);
      beside_.clear();
      return {};
    }
    // Unlike rename, link fails if the name is taken.
    if (::link(beside_.c_str(), what_.path.c_str()) == 0)
      return {};
    if (errno == EEXIST)
      return taken();
    // Some file systems have no hard links; some of these support RENAME_NOREPLACE.
    if (::renameat2(AT_FDCWD, beside_.c_str(), AT_FDCWD, what_.path.c_str(), RENAME_NOREPLACE) == 0)
      return done();
    return errno == EEXIST ? taken() : system_error(what_.path, "create", errno);
  }

private:
  const new_file& what_;
  std::filesystem::path beside_;

  expected<void> done() {
    beside_.clear();
    return {};
  }
  [[nodiscard]] error taken() const {
    return {ec::refused, what_.path.string() + " is there already"};
  }
};

expected<staged_file> stage(const new_file& what) {
  auto pattern
      = (what.path.parent_path() / ("." + what.path.filename().string() + ".XXXXXX")).string();
  // mkostemp creates a new file that only its owner can read.
  descriptor to{::mkostemp(pattern.data(), O_CLOEXEC)};
  if (to.number() < 0)
    return system_error(what.path, "create", errno);
  staged_file result{what, pattern};
  if (auto written = store::write_all(to, what.path, what.text); !written)
    return written.error();
  auto mode = what.readers == audience::owner_only ? secret_mode : open_mode;
  if (::fchmod(to.number(), mode) != 0)
    return system_error(what.path, "set the permissions of", errno);
  if (::fsync(to.number()) != 0)
    return system_error(what.path, "sync", errno);
  return result;
}

expected<std::string> content_of(const descriptor& from, const std::filesystem::path& path) {
  std::string result;
  std::array<char, 4096> block{};
  for (;;) {
    auto count = ::read(from.number(), block.data(), block.size());
    if (count < 0 && errno != EINTR)
      return system_error(path, "read", errno);
    if (count == 0)
      return result;
    if (count > 0)
      result.append(block.data(), static_cast<std::size_t>(count));
    if (result.size() > longest_file)
      return error{ec::storage, path.string() + ": too large for a certificate or key"};
  }
}

} // namespace

bool is_taken(const std::filesystem::path& path) {
  struct stat unused {};
  return ::lstat(path.c_str(), &unused) == 0;
}

expected<file_content> read_small_file(const std::filesystem::path& path) {
  descriptor from{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (from.number() < 0 && (errno == ENOENT || errno == ENOTDIR))
    return error{ec::unreadable, path.string() + ": there is no such file"};
  struct stat about {};
  if (from.number() < 0 || ::fstat(from.number(), &about) != 0)
    return system_error(path, "read", errno);
  if (!S_ISREG(about.st_mode))
    return error{ec::storage, path.string() + ": not a file"};
  auto text = content_of(from, path);
  if (!text)
    return text.error();
  return file_content{std::move(*text), about.st_mode & 07777U, about.st_uid};
}

expected<void> check_secrecy(const std::filesystem::path& path, const file_content& what) {
  const auto mode = what.mode;
  const mode_t allowed = what.owner == 0 && ::geteuid() != 0 ? S_IRGRP : 0;
  if ((mode & not_the_owner & ~allowed) == 0)
    return {};
  std::array<char, 8> octal{};
  std::snprintf(octal.data(), octal.size(), "%04o", static_cast<unsigned>(mode) & 07777U);
  return error{ec::refused, path.string() + ": others may use this key (mode " + octal.data()
                                + "); chmod 600 " + path.string()};
}

expected<void> write_files(const std::vector<new_file>& all) {
  for (const auto& x : all)
    if (!x.replaces && is_taken(x.path))
      return error{ec::refused, x.path.string() + " is there already"};
  std::vector<staged_file> staged;
  staged.reserve(all.size());
  std::set<std::filesystem::path> directories;
  for (const auto& x : all) {
    auto file = stage(x);
    if (!file)
      return file.error();
    staged.push_back(std::move(*file));
    directories.insert(x.path.parent_path());
  }
  for (auto& x : staged)
    if (auto done = x.publish(); !done)
      return done;
  staged.clear();
  for (const auto& x : directories)
    if (auto done = store::sync_directory(x.empty() ? "." : x); !done)
      return done;
  return {};
}

expected<void> make_private_directory(const std::filesystem::path& path) {
  if (!path.has_filename() && path.has_parent_path() && path != path.root_path())
    return make_private_directory(path.parent_path()); // the path ended in a slash
  std::error_code fault;
  if (path.has_parent_path())
    std::filesystem::create_directories(path.parent_path(), fault);
  constexpr mode_t owner_only = 0700;
  if (::mkdir(path.c_str(), owner_only) == 0)
    return {};
  auto number = errno;
  if (std::filesystem::is_directory(path, fault))
    return {};
  return system_error(path, "create the directory", number);
}

} // namespace tune
