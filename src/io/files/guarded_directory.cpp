// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/guarded_directory.hpp"

#include "directory_list.hpp"
#include "mounts.hpp"
#include "posix/posix.hpp"

#include "tune/core/trial/file_remarks.hpp"
#include "tune/io/files/remove_tree.hpp"
#include "tune/io/process/shortage.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

using store::descriptor;

/// Limit for a program that replaces the file again and again.
constexpr int most_tries = 100;
/// Looking up names requires no read permission.
constexpr int as_directory = O_PATH | O_DIRECTORY | O_CLOEXEC;
constexpr int always = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

/// Stands for the kind of a mount point, whose file system is not accessed, since it may never
/// answer.
constexpr ::mode_t mounted = 0;

std::string kind_of(::mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "a file";
    case S_IFDIR:
      return "a directory";
    case S_IFLNK:
      return "a link";
    case S_IFIFO:
      return "a named pipe";
    case S_IFSOCK:
      return "a socket";
    case mounted:
      return "a mount point";
    default:
      return "a device";
  }
}

std::optional<struct ::stat> look(int directory, const fs::path& name) {
  struct ::stat found {};
  descriptor opened{beneath::open(directory, name, O_PATH)};
  if (opened.number() >= 0)
    return ::fstat(opened.number(), &found) == 0 ? std::optional{found} : std::nullopt;
  if (errno == EXDEV)
    return found;
  // This works even if no descriptors are left.
  const bool seen = (errno == EMFILE || errno == ENFILE)
                    && ::fstatat(directory, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
  return seen ? std::optional{found} : std::nullopt;
}

/// Opens the file that `place` refers to with `flags`, even if its name means something else by
/// now.
int open_place(descriptor place, int flags) {
  struct ::stat about {};
  if (::fstat(place.number(), &about) != 0)
    return -1;
  const bool is_link = S_ISLNK(about.st_mode);
  if ((flags & O_DIRECTORY) != 0 && !S_ISDIR(about.st_mode))
    errno = ENOTDIR;
  else if ((flags & O_PATH) != 0)
    return std::move(place).release();
  else if ((flags & O_EXCL) != 0)
    errno = EEXIST;
  else if (is_link)
    errno = ELOOP;
  else
    return ::open(("/proc/self/fd/" + std::to_string(place.number())).c_str(), flags | O_CLOEXEC);
  return -1;
}

/// Opens a name unless it is a mount point or a symbolic link.
int open_name(int directory, const char* name, int flags, ::mode_t mode) {
  // O_PATH does not access a file system that may be mounted there.
  descriptor place{::openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC)};
  if (place.number() >= 0 && files::mount_of(place.number()) != files::mount_of(directory)) {
    errno = EXDEV;
    return -1;
  }
  if (place.number() >= 0)
    return open_place(std::move(place), flags);
  return ::openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

bool leads_out(const fs::path& way) {
  return way.is_absolute() || std::find(way.begin(), way.end(), "..") != way.end();
}

error in_the_way(const fs::path& path, std::string_view what, std::string_view wanted) {
  const auto* mending = what == kind_of(mounted) ? ": unmount it" : ": remove it";
  return {ec::refused,
          path.string() + " is " + std::string{what} + ", not " + std::string{wanted} + mending};
}

/// A lack of descriptors is `ec::shortage`, since it passes.
error system_failed(const fs::path& path, std::string_view doing, int number) {
  return {fault_of(number, ec::storage),
          path.string() + ": cannot " + std::string{doing} + ": " + text_of_shortage(number)};
}

/// If permissions are missing or something is mounted, a person or program caused it, not the disk.
error failed(const fs::path& path, std::string_view doing, int number) {
  auto result = system_failed(path, doing, number);
  if (number == EACCES || number == EPERM || number == EBUSY || number == EXDEV)
    result.code = ec::refused;
  return result;
}

/// The error for a directory that could not be opened: names the first part of the way that is not
/// a directory.
error not_entered(int directory, const fs::path& root, const fs::path& way, int number) {
  fs::path so_far;
  for (const auto& name : way) {
    so_far /= name;
    const auto found = look(directory, so_far);
    if (!found)
      break;
    if (!S_ISDIR(found->st_mode))
      return in_the_way(root / so_far, kind_of(found->st_mode), "a directory");
  }
  return failed(root / so_far, "open the directory", number);
}

expected<descriptor> open_root(const fs::path& trusted) {
  const int number = ::open(trusted.empty() ? "." : trusted.c_str(), as_directory);
  if (number < 0)
    return system_failed(trusted, "open the directory", errno);
  return descriptor{number};
}

/// Whether the open file is regular and, if it is to be written, has no other name.
bool is_fit(const descriptor& file, bool written) {
  struct ::stat about {};
  return ::fstat(file.number(), &about) == 0 && S_ISREG(about.st_mode)
         && (!written || about.st_nlink == 1);
}

/// Opens a regular file for reading. @param way As in `beneath::open`; `root` is the path of
/// `directory`. @returns nothing if it does not exist, or not any more.
expected<std::optional<descriptor>> open_to_read(int directory, const fs::path& root,
                                                 const fs::path& way) {
  // Checked first: opening a device may have effects.
  const auto found = look(directory, way);
  if (found && !S_ISREG(found->st_mode))
    return in_the_way(root / way, kind_of(found->st_mode), "a file");
  descriptor opened{beneath::open(directory, way, O_RDONLY | always)};
  if (opened.number() < 0 && (errno == ELOOP || errno == ENOTDIR))
    return not_entered(directory, root, way.parent_path(), errno);
  if (opened.number() < 0 && errno == ENOENT)
    return std::optional<descriptor>{};
  if (opened.number() < 0)
    return failed(root / way, "read", errno);
  if (!is_fit(opened, false))
    return error{ec::refused, (root / way).string() + " is not a file any more"};
  return std::optional{std::move(opened)};
}

/// Why the existing thing cannot be written to; empty if it can.
std::string why_unfit(const struct ::stat& about) {
  if (!S_ISREG(about.st_mode))
    return kind_of(about.st_mode);
  return about.st_nlink == 1 ? "" : "a file with other names (hard links)";
}

} // namespace

namespace beneath {

int open_name_by_name(int directory, const fs::path& way, int flags, ::mode_t mode) {
  if (leads_out(way)) {
    errno = EXDEV;
    return -1;
  }
  descriptor holder{-1};
  int at = directory;
  for (auto name = way.begin(); name != way.end(); ++name) {
    if (std::next(name) == way.end())
      return open_name(at, name->c_str(), flags, mode);
    at = open_name(at, name->c_str(), O_PATH | O_DIRECTORY, 0);
    if (at < 0)
      return -1;
    holder = descriptor{at};
  }
  return ::openat(directory, ".", flags | O_CLOEXEC, mode);
}

int open(int directory, const fs::path& way, int flags, ::mode_t mode) {
  ::open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_NOFOLLOW | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  const auto* text = way.empty() ? "." : way.c_str();
  const auto opened = ::syscall(SYS_openat2, directory, text, &how, sizeof how);
  if (opened >= 0 || (errno != ENOSYS && errno != EPERM && errno != EINVAL && errno != EAGAIN))
    return static_cast<int>(opened);
  // The kernel is too old, or a container's seccomp filter rejects the call.
  return open_name_by_name(directory, way, flags, mode);
}

} // namespace beneath

expected<guarded_directory> guarded_directory::open(const fs::path& trusted, const fs::path& way) {
  auto opened = open_root(trusted);
  if (!opened)
    return opened.error();
  guarded_directory root{trusted, std::move(*opened)};
  return way.empty() ? expected<guarded_directory>{std::move(root)} : root.enter(way);
}

expected<guarded_directory> guarded_directory::enter(const fs::path& way) const {
  descriptor found{beneath::open(number(), way, as_directory)};
  if (found.number() < 0)
    return not_entered(number(), path_, way, errno);
  return guarded_directory{path_ / way, std::move(found)};
}

expected<guarded_directory> guarded_directory::make(const fs::path& trusted, const fs::path& way) {
  auto at = open_root(trusted);
  if (!at)
    return at.error();
  fs::path so_far = trusted;
  for (const auto& name : way) {
    auto parent = std::exchange(so_far, so_far / name);
    const bool made = ::mkdirat(at->number(), name.c_str(), 0775) == 0;
    if (!made && errno != EEXIST)
      return system_failed(so_far, "make the directory", errno);
    descriptor next{beneath::open(at->number(), name, as_directory)};
    if (next.number() < 0)
      return not_entered(at->number(), parent, name, errno);
    at = std::move(next);
  }
  return guarded_directory{std::move(so_far), std::move(*at)};
}

expected<guarded_directory> guarded_directory::holding(const fs::path& file) {
  const auto directory = file.parent_path();
  return open(directory.parent_path(), directory.filename());
}

std::string guarded_directory::oddity(const std::string& name) const {
  const auto found = look(number(), name);
  return found ? why_unfit(*found) : std::string{};
}

bool guarded_directory::has_any(const std::string& name) const {
  return look(number(), name).has_value();
}

bool guarded_directory::has_mount_point(const std::string& name) const {
  const auto found = look(number(), name);
  return found && (found->st_mode & S_IFMT) == mounted;
}

bool guarded_directory::has_content(const std::string& name) const {
  descriptor place{beneath::open(number(), name, O_PATH)};
  struct ::stat found {};
  if (place.number() < 0 || ::fstat(place.number(), &found) != 0)
    return false;
  // The target of a symbolic link may be on a file system that never answers.
  if (S_ISLNK(found.st_mode))
    place = files::answering_mounts{number()}.open(path_ / name);
  if (place.number() < 0 || ::fstat(place.number(), &found) != 0)
    return false;
  if (!S_ISDIR(found.st_mode))
    return found.st_size > 0;
  auto names = files::directory_list::open(place.number(), {}, path_ / name, ec::storage);
  auto first = names ? names->next() : names.error();
  return first && first->has_value();
}

bool guarded_directory::has_directory(const std::string& name) const {
  const auto found = look(number(), name);
  return found && S_ISDIR(found->st_mode);
}

bool guarded_directory::has_file(const std::string& name) const {
  const auto found = look(number(), name);
  return found && S_ISREG(found->st_mode);
}

expected<descriptor> guarded_directory::read(const fs::path& way) const {
  auto opened = open_to_read(number(), path_, way);
  if (!opened)
    return opened.error();
  return *opened ? expected<descriptor>{std::move(**opened)}
                 : expected<descriptor>{failed(path_ / way, "read", ENOENT)};
}

expected<std::optional<std::string>> guarded_directory::text(const std::string& name,
                                                             std::size_t most) const {
  auto found = open_to_read(number(), path_, name);
  if (!found)
    return found.error();
  if (!*found)
    return std::optional<std::string>{};
  const auto& opened = **found;
  std::string result;
  for (;;) {
    const auto old = result.size();
    result.resize(old + 16 * 1024);
    const auto count = ::read(opened.number(), result.data() + old, result.size() - old);
    const int why = errno;
    result.resize(old + static_cast<std::size_t>(std::max<::ssize_t>(count, 0)));
    if (count < 0 && why != EINTR)
      return failed(path_ / name, "read", why);
    if (result.size() > most)
      return error{ec::refused,
                   (path_ / name).string() + " has more than " + std::to_string(most) + " bytes"};
    if (count == 0)
      return std::optional{std::move(result)};
  }
}

expected<writable_file> guarded_directory::open_to_write(const std::string& name, int how,
                                                         ::mode_t mode, bool replaces) const {
  std::string replaced;
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto found = look(number(), name);
    const auto odd = found ? why_unfit(*found) : std::string{};
    if (!odd.empty() && !replaces)
      return in_the_way(path_ / name, odd, "a file of its own");
    if (!odd.empty()) {
      if (auto gone = remove(name); !gone)
        return gone.error();
      replaced = odd;
      continue;
    }
    descriptor opened{
        ::openat(number(), name.c_str(), how | always | (found ? 0 : O_CREAT | O_EXCL), mode)};
    if (opened.number() >= 0 && is_fit(opened, true))
      return writable_file{std::move(opened), std::move(replaced)};
    // The file may have been replaced since the check.
    const bool changed = opened.number() >= 0 || errno == EEXIST || errno == ENOENT
                         || errno == ELOOP || errno == ENXIO || errno == EISDIR;
    if (!changed)
      return failed(path_ / name, "open", errno);
  }
  return error{ec::refused, (path_ / name).string() + " is replaced again and again"};
}

expected<writable_file> guarded_directory::append(const std::string& name, ::mode_t mode) const {
  return open_to_write(name, O_WRONLY | O_APPEND, mode, true);
}

expected<descriptor> guarded_directory::extend(const std::string& name, ::mode_t mode) const {
  auto opened = open_to_write(name, O_WRONLY | O_APPEND, mode, false);
  if (!opened)
    return opened.error();
  return std::move(opened->file);
}

expected<writable_file> guarded_directory::update(const std::string& name, ::mode_t mode) const {
  return open_to_write(name, O_WRONLY, mode, true);
}

expected<descriptor> guarded_directory::create(const std::string& name, ::mode_t mode) const {
  for (int tries = 0; tries < most_tries; ++tries) {
    if (auto gone = remove(name); !gone)
      return gone.error();
    descriptor opened{::openat(number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | always, mode)};
    if (opened.number() >= 0)
      return opened;
    if (errno != EEXIST)
      return failed(path_ / name, "create", errno);
  }
  return error{ec::refused, (path_ / name).string() + " is made again and again"};
}

expected<std::string> guarded_directory::replace(const std::string& name, std::string_view text,
                                                 const std::string& beside) const {
  auto odd = has_file(name) ? std::string{} : oddity(name);
  if (odd == kind_of(S_IFDIR))
    return in_the_way(path_ / name, odd, "a file");
  auto opened = create(beside);
  if (!opened)
    return opened.error();
  auto done = store::write_all(*opened, path_ / beside, text);
  if (done)
    done = rename(beside, name);
  if (!done) {
    ::unlinkat(number(), beside.c_str(), 0);
    return done.error();
  }
  return odd;
}

expected<void> guarded_directory::rename(const std::string& from, const std::string& to) const {
  if (::renameat(number(), from.c_str(), number(), to.c_str()) == 0)
    return {};
  const int why = errno;
  if (why == EISDIR)
    return in_the_way(path_ / to, kind_of(S_IFDIR), "a file");
  return failed(path_ / to, "replace", why);
}

expected<void> guarded_directory::remove(const std::string& name) const {
  if (::unlinkat(number(), name.c_str(), 0) == 0 || errno == ENOENT)
    return {};
  const int why = errno;
  if (why == EISDIR)
    return in_the_way(path_ / name, kind_of(S_IFDIR), "a file");
  return failed(path_ / name, "remove", why);
}

expected<void> guarded_directory::remove_tree(const std::string& name) const {
  return tune::remove_tree(number(), name, path_ / name);
}

std::string replaced_text(const fs::path& path, std::string_view what) {
  return path.string() + " was " + std::string{what} + std::string{file_replaced_ends};
}

} // namespace tune
