// Heads exclude each other by two locks on one file: an open file description lock, which only
// users who may write the file can take, and `flock`, which older versions use. The file can be
// opened only by users who may write the directory: a lock taken by reading it would keep heads
// out.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/experiment_directory.hpp"

#include "lock_holders.hpp"
#include "posix/posix.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/shell_word.hpp"
#include "tune/io/control/control_place.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>

namespace tune {

namespace {

using store::descriptor;
using store::system_error;
namespace fs = std::filesystem;

/// Limit on recreating a file that is removed between opening and locking.
constexpr int most_tries = 100;

/// Result of trying to lock an open file.
enum class claim : std::uint8_t {
  ours,
  /// A head has the lock.
  head,
  /// A process has the lock that is not a head and never wrote into the file.
  reader,
  /// A process that is not visible from here has the lock.
  unknown,
};

bool is_at(const descriptor& file, const fs::path& path) {
  struct ::stat open {};
  struct ::stat named {};
  return ::fstat(file.number(), &open) == 0 && ::lstat(path.c_str(), &named) == 0
         && open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

std::string text_of(const descriptor& file) {
  std::array<char, 400> text{};
  const auto size = ::pread(file.number(), text.data(), text.size() - 1, 0);
  if (size <= 0)
    return {};
  std::string result = text.data();
  return result.substr(0, result.find('\n'));
}

/// Gives read permission exactly where there is write permission.
::mode_t without_readers(::mode_t mode) {
  ::mode_t result = 0600;
  if ((mode & 0020) != 0)
    result |= 0060;
  if ((mode & 0002) != 0)
    result |= 0006;
  return result;
}

/// Creates the file for users who may write the directory; it gets the directory's owner.
/// @returns -1 on failure, with `errno`.
descriptor make_lock_file(const fs::path& file) {
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  struct ::stat place {};
  if (::stat(file.parent_path().c_str(), &place) != 0)
    return descriptor{-1};
  descriptor made{::open(file.c_str(), flags, 0600)};
  // The directory's owner can then resume an experiment that a superuser began. If chown fails, the
  // file works all the same.
  if (made.number() >= 0 && ::geteuid() == 0)
    (void)!::fchown(made.number(), place.st_uid, place.st_gid);
  if (made.number() >= 0)
    (void)::fchmod(made.number(), without_readers(place.st_mode));
  return made;
}

error put_there(const fs::path& file, const std::string& what) {
  return {ec::refused, file.string() + " is " + what + ": somebody else put it there; remove it"};
}

error cannot_open(const fs::path& file, int why) {
  if (why == ELOOP)
    return put_there(file, "a link");
  auto result = system_error(file, "open", why);
  struct ::stat about {};
  if (why == EACCES && ::lstat(file.c_str(), &about) == 0)
    result.detail += ": it belongs to user " + std::to_string(about.st_uid)
                     + ": go on as that user or, where no head works there, remove it";
  return result;
}

expected<descriptor> open_lock_file(const fs::path& file) {
  constexpr int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  descriptor there{::open(file.c_str(), flags)};
  if (there.number() < 0 && errno == ENOENT) {
    there = make_lock_file(file);
    if (there.number() < 0 && errno == EEXIST)
      there = descriptor{::open(file.c_str(), flags)}; // another head was faster
  }
  if (there.number() < 0)
    return cannot_open(file, errno);
  struct ::stat about {};
  if (::fstat(there.number(), &about) != 0 || !S_ISREG(about.st_mode))
    return error{ec::storage, file.string() + ": is no regular file: remove it"};
  if (about.st_nlink > 1)
    return put_there(file, "a file with other names");
  // Older versions made the file readable by everybody. Only its owner may change that.
  if ((about.st_mode & 0777) != without_readers(about.st_mode))
    (void)::fchmod(there.number(), without_readers(about.st_mode));
  return there;
}

/// Takes the open file description lock. File servers map it to the same lock as `flock` and might
/// see two owners in one process: on these it is left out.
claim claim_for_writing(const descriptor& file, const fs::path& directory) {
  auto kind = journal_for(directory);
  if (kind && *kind == journal_kind::rollback)
    return claim::ours;
  struct ::flock wish {};
  wish.l_type = F_WRLCK;
  if (::fcntl(file.number(), F_OFD_SETLK, &wish) == 0)
    return claim::ours;
  if (errno != EAGAIN && errno != EACCES)
    return claim::ours; // not supported here: `flock` must suffice
  if (::fcntl(file.number(), F_OFD_GETLK, &wish) == 0 && wish.l_type == F_RDLCK)
    return claim::reader;
  return claim::head;
}

/// The kind of holder of the `flock`: a head of an older version has no other lock and is named in
/// the file.
claim whose_flock(const struct ::stat& about, const std::string& text) {
  auto seen = store::locks_on(about);
  std::erase_if(seen, [](const auto& x) { return x.kind != "FLOCK"; });
  if (std::any_of(seen.begin(), seen.end(),
                  [&](const auto& x) { return store::is_named(x.pid, text); }))
    return claim::head;
  return seen.empty() || !store::is_of_this_host(text) ? claim::unknown : claim::reader;
}

expected<claim> try_to_lock(const descriptor& file, const fs::path& path) {
  if (const auto first = claim_for_writing(file, path.parent_path()); first != claim::ours)
    return first;
  if (::flock(file.number(), LOCK_EX | LOCK_NB) == 0)
    return claim::ours;
  if (errno != EWOULDBLOCK)
    return system_error(path, "lock", errno);
  struct ::stat about {};
  if (::fstat(file.number(), &about) != 0)
    return system_error(path, "read", errno);
  return whose_flock(about, text_of(file));
}

error held(const fs::path& directory, const std::string& who, claim how) {
  auto text = directory.string() + ": " + (who.empty() ? "another process" : who) + " works on it";
  if (how == claim::unknown)
    return {ec::refused, text + ", as " + (directory / "lock").string()
                             + " says, which is locked by a process that cannot be seen from here:"
                               " if that one is dead, remove the file and try again"};
  text += ": wait for its end";
  // An executor of its trials (ask-tell) listens to nobody else.
  std::error_code failed;
  if (fs::exists(control_directory(directory), failed))
    text += ", or ask for it by " + program_call("stop " + shell_word(directory.string()));
  return {ec::refused, std::move(text)};
}

expected<void> sign(const descriptor& file, const fs::path& path) {
  if (::ftruncate(file.number(), 0) != 0)
    return system_error(path, "write", errno);
  return store::write_all(file, path, store::head_text() + "\n");
}

} // namespace

expected<directory_lock> directory_lock::take(const fs::path& directory) {
  const auto path = directory / "lock";
  for (int i = 0; i < most_tries; ++i) {
    auto file = open_lock_file(path);
    if (!file)
      return file.error();
    auto how = try_to_lock(*file, path);
    if (!how)
      return how.error();
    if (*how == claim::head || *how == claim::unknown)
      return held(directory, text_of(*file), *how);
    if (!is_at(*file, path))
      continue;
    // A process with read permission only cannot lock the new file.
    if (*how == claim::reader && ::unlink(path.c_str()) != 0)
      return system_error(path, "replace", errno);
    if (*how == claim::reader)
      continue;
    if (auto signed_ = sign(*file, path); !signed_)
      return signed_.error();
    return directory_lock{path, std::move(*file).release()};
  }
  return error{ec::refused, path.string() + ": is removed as soon as it is made"};
}

expected<void> directory_lock::keep() {
  struct ::stat named {};
  struct ::stat open {};
  const auto is_there = ::lstat(path_.c_str(), &named) == 0;
  if (is_there && ::fstat(descriptor_, &open) == 0 && open.st_dev == named.st_dev
      && open.st_ino == named.st_ino)
    return {};
  if (!is_there && errno == ENOENT) {
    // Heads never remove the file: one that had taken the lock since would have left a file.
    auto again = make_lock_file(path_);
    if (again.number() < 0)
      return system_error(path_, "create", errno);
    auto how = try_to_lock(again, path_);
    if (how && *how == claim::ours && is_at(again, path_)) {
      auto signed_ = sign(again, path_);
      *this = directory_lock{path_, std::move(again).release()};
      return signed_;
    }
  }
  return error{ec::refused, path_.string()
                                + ": was replaced while it was in use: another head may"
                                  " work there"};
}

directory_lock::directory_lock(std::filesystem::path path, int descriptor)
    : path_{std::move(path)}, descriptor_{descriptor} {}

directory_lock::directory_lock(directory_lock&& other) noexcept
    : path_{std::move(other.path_)}, descriptor_{std::exchange(other.descriptor_, -1)} {}

directory_lock& directory_lock::operator=(directory_lock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

directory_lock::~directory_lock() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

bool is_held(const fs::path& directory) {
  struct ::stat about {};
  if (::stat((directory / "lock").c_str(), &about) != 0)
    return false;
  const auto seen = store::locks_on(about);
  const auto has = [&](const char* kind) {
    return std::any_of(seen.begin(), seen.end(),
                       [&](const auto& x) { return x.kind == kind && x.writes; });
  };
  if (has("OFDLCK"))
    return true;
  return has("FLOCK") && whose_flock(about, holder_of(directory)) != claim::reader;
}

std::string holder_of(const fs::path& directory) {
  auto file = store::open_file(directory / "lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK, "read");
  auto text = file ? text_of(*file) : std::string{};
  return text.empty() ? "another process" : text;
}

} // namespace tune
