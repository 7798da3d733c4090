// SPDX-License-Identifier: BSD-3-Clause
#include "posix.hpp"

#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/process/shortage.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace tune::store {

std::string text_of_errno(int number) {
  const std::string text = std::strerror(number);
  return number == EFBIG ? text
                               + ": raise the limit of file sizes (ulimit -f, LimitFSIZE= of its "
                                 "service)"
                         : text;
}

error system_error(const std::filesystem::path& path, std::string_view doing, int number) {
  return {ec::storage,
          path.string() + ": cannot " + std::string{doing} + ": " + text_of_errno(number)};
}

descriptor::~descriptor() {
  if (number_ >= 0)
    ::close(number_);
}

expected<file_mark> file_mark::of(const std::filesystem::path& path) {
  struct ::stat found {};
  if (::stat(path.c_str(), &found) != 0)
    return system_error(path, "find", errno);
  return file_mark{path, found.st_dev, found.st_ino};
}

expected<void> file_mark::check() const {
  struct ::stat found {};
  if (::stat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == number_)
    return {};
  return error{ec::storage,
               path_.string() + ": was removed, moved or replaced while it was in use"};
}

expected<descriptor> open_file(const std::filesystem::path& path, int flags,
                               std::string_view doing) {
  constexpr int readable_by_all = 0666; // less the user's umask
  int number = -1;
  do
    number = ::open(path.c_str(), flags | O_CLOEXEC, readable_by_all);
  while (number < 0 && errno == EINTR);
  if (number < 0) {
    const auto reason = errno;
    return error{fault_of(reason, ec::storage), system_error(path, doing, reason).detail};
  }
  return descriptor{number};
}

error when_read(error why) {
  if (why.code != ec::shortage)
    why.code = ec::unreadable;
  return why;
}

expected<descriptor> open_own_file(const std::filesystem::path& path, int flags,
                                   std::string_view doing) {
  auto fail = [&](std::string_view what) {
    return error{ec::refused, path.string() + " is " + std::string{what}
                                  + ": somebody else put it there; remove it"};
  };
  struct ::stat about {};
  if (::lstat(path.c_str(), &about) == 0 && S_ISLNK(about.st_mode))
    return fail("a link");
  auto opened = open_file(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, doing);
  if (opened
      && (::fstat(opened->number(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_nlink != 1))
    return fail("no regular file with a single name");
  return opened;
}

expected<void> write_all(const descriptor& to, const std::filesystem::path& path,
                         std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(to.number(), text.data(), text.size());
    if (count < 0 && errno != EINTR)
      return system_error(path, "write", errno);
    if (count > 0)
      text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

expected<void> sync_directory(const std::filesystem::path& path) {
  auto opened = open_file(path, O_RDONLY | O_DIRECTORY, "open the directory");
  if (!opened)
    return opened.error();
  // Some network file systems do not know how to sync directories.
  if (::fsync(opened->number()) != 0 && errno != EINVAL && errno != ENOTSUP)
    return system_error(path, "sync", errno);
  return {};
}

expected<void> sync_file(const std::filesystem::path& path) {
  auto opened = open_own_file(path, O_RDWR, "open");
  if (!opened)
    return opened.error();
  if (::fsync(opened->number()) != 0)
    return system_error(path, "sync", errno);
  return {};
}

expected<void> replace_file(const std::filesystem::path& path, std::string_view text) {
  auto where = guarded_directory::open(path.parent_path());
  if (!where)
    return where.error();
  const auto name = path.filename().string();
  auto done = where->replace(name, text, name + ".new");
  return done ? expected<void>{} : done.error();
}

} // namespace tune::store
