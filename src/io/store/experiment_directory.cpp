// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/experiment_directory.hpp"

#include "head_row.hpp"
#include "open_to_read.hpp"
#include "posix/posix.hpp"
#include "wal_check.hpp"

#include "tune/io/files/guarded_directory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <vector>

namespace tune {

namespace {

using store::system_error;
using store::text_of_errno;
namespace fs = std::filesystem;

/// Creates a directory unless it exists.
/// @returns whether it was created.
expected<bool> make_one(const fs::path& path) {
  // Not writable by everybody, whatever the umask is.
  if (::mkdir(path.c_str(), 0775) == 0)
    return true;
  const int why = errno;
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return false;
  return system_error(path, "create the directory", why);
}

/// @param fresh Receives each new directory.
expected<void> make_all(const fs::path& path, std::vector<fs::path>& fresh) {
  fs::path so_far;
  for (const auto& part : path) {
    so_far /= part;
    if (!so_far.has_relative_path() || part.empty())
      continue;
    auto made = make_one(so_far);
    if (!made)
      return made.error();
    if (*made)
      fresh.push_back(so_far);
  }
  return {};
}

constexpr const char* probe_name = ".probe";

/// Files and directories of a run with its first trial.
constexpr std::size_t least_files = 16;

/// Whether the file system reports too few free inodes; not all file systems count them, and the
/// count may be wrong.
bool seems_short_of_files(const fs::path& directory) {
  struct statvfs found {};
  return ::statvfs(directory.c_str(), &found) == 0 && found.f_files != 0
         && found.f_favail < least_files;
}

/// Checks that as many files can be created as a run starts with; otherwise it would stop half-way.
expected<void> probe_files(const guarded_directory& where, const fs::path& directory) {
  if (!seems_short_of_files(directory))
    return {};
  auto below = guarded_directory::make(directory, probe_name);
  std::size_t made = 0;
  auto failed = below ? expected<void>{} : expected<void>{below.error()};
  while (failed && ++made < least_files) {
    if (auto opened = below->create(std::to_string(made)); !opened)
      failed = opened.error();
  }
  static_cast<void>(where.remove_tree(probe_name));
  if (failed)
    return {};
  return error{ec::storage, directory.string() + ": " + std::to_string(made)
                                + " more files can be made on its file system, and a run needs at"
                                  " least "
                                + std::to_string(least_files)
                                + " (df -i): " + text_of_errno(ENOSPC)};
}

expected<void> probe(const fs::path& directory) {
  const std::string name = probe_name;
  const auto file = directory / name;
  auto where = guarded_directory::open(directory);
  if (!where)
    return where.error();
  static_cast<void>(where->remove_tree(name));
  auto opened = where->create(name);
  if (!opened) {
    // The directory is at fault, not a file that users do not know.
    auto why = opened.error().detail;
    if (const auto what = file.string() + ": cannot create: "; why.starts_with(what))
      why = directory.string() + ": cannot create files in it: " + why.substr(what.size());
    return error{ec::storage, std::move(why)};
  }
  // The size of a new database.
  constexpr std::size_t some = 64 * 1024;
  auto written = store::write_all(*opened, file, std::string(some, 'x'));
  static_cast<void>(where->remove(name));
  return written ? probe_files(*where, directory) : written;
}

expected<void> make_and_probe(const fs::path& directory, std::vector<fs::path>& fresh) {
  for (const auto& path : {directory, trials_directory(directory)}) {
    if (auto made = make_all(path, fresh); !made)
      return made;
  }
  return probe(directory);
}

} // namespace

fs::path database_file(const fs::path& directory) {
  return directory / "experiment.db";
}

fs::path trials_directory(const fs::path& directory) {
  return directory / "trials";
}

namespace {

/// An error if the path is too long for SQLite, which also needs room for the companion files'
/// suffixes.
std::optional<error> why_too_long(const fs::path& file) {
  constexpr std::size_t longest_ending = std::string_view{"-journal"}.size() + 1;
  const auto* system = sqlite3_vfs_find(nullptr);
  std::error_code failed;
  auto length = fs::absolute(file, failed).string().size();
  if (system == nullptr || length + longest_ending <= static_cast<std::size_t>(system->mxPathname))
    return std::nullopt;
  return error{ec::storage,
               "the path of the experiment's database has " + std::to_string(length)
                   + " bytes, and SQLite takes at most "
                   + std::to_string(system->mxPathname - static_cast<int>(longest_ending))
                   + ": choose a shorter [experiment] storage or name"};
}

expected<directory_state> state_of_database(const fs::path& file) {
  if (auto why = why_too_long(file))
    return *why;
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) {
    if (errno == ENOENT)
      return directory_state::absent;
    return system_error(file, "read", errno);
  }
  // A database without pages may still have all its content in the write-ahead log.
  std::int64_t version = 0;
  auto opened = store::open_to_read(file, version);
  if (!opened)
    return opened.error();
  if (version == 0)
    return directory_state::half_made;
  auto head = store::read_head(*opened);
  if (!head)
    return head.error();
  if (head->last_seq != 0)
    return directory_state::experiment;
  // All content may be in a log that SQLite no longer recognises.
  if (auto whole = store::check_wal(file); !whole)
    return whole.error();
  return directory_state::half_made;
}

/// Whether there are trial directories. None is created before the trial is in the log.
bool has_trials(const fs::path& directory) {
  std::error_code ignored;
  for (fs::directory_iterator i{trials_directory(directory), ignored}; i != fs::end(i);
       i.increment(ignored)) {
    const auto name = i->path().filename().string();
    if (name.size() >= 5 && name.find_first_not_of("0123456789") == std::string::npos)
      return true;
  }
  return false;
}

} // namespace

expected<directory_state> inspect_directory(const fs::path& directory) {
  auto state = state_of_database(database_file(directory));
  if (!state || *state == directory_state::experiment || !has_trials(directory))
    return state;
  return error{ec::storage,
               database_file(directory).string()
                   + (*state == directory_state::absent ? " is not there" : " holds nothing")
                   + ", but " + trials_directory(directory).string()
                   + " holds trials: restore it, with experiment.db-wal, from a copy, or choose"
                     " another name"};
}

expected<void> make_directory(const fs::path& directory) {
  std::vector<fs::path> fresh;
  if (auto usable = make_and_probe(directory, fresh); !usable) {
    // Leave no half-made experiment behind.
    for (auto i = fresh.rbegin(); i != fresh.rend(); ++i)
      ::rmdir(i->c_str());
    return usable;
  }
  // Synced after all are created: later syncs then have less to write.
  for (const auto& path : fresh) {
    auto parent = path.has_parent_path() ? path.parent_path() : fs::path{"."};
    if (auto synced = store::sync_directory(parent); !synced)
      return synced;
  }
  return {};
}

journal_kind journal_for(std::uint64_t file_system_type) {
  static constexpr std::array<std::uint64_t, 18> shared{
      0x6969,     // NFS
      0x517B,     // SMB
      0xFE534D42, // SMB2
      0xFF534D42, // CIFS
      0x564C,     // NCP
      0x73757245, // Coda
      0x5346414F, // AFS
      0x6B414653, // AFS of the kernel
      0x01021997, // 9p
      0x65735546, // FUSE: sshfs, GlusterFS and others
      0x00C36400, // Ceph
      0x0BD00BD0, // Lustre
      0x47504653, // GPFS
      0x19830326, // BeeGFS
      0x7461636F, // OCFS2
      0x01161970, // GFS2
      0x20030528, // OrangeFS
      0xAAD7AAEA, // Panasas
  };
  return std::find(shared.begin(), shared.end(), file_system_type) != shared.end()
             ? journal_kind::rollback
             : journal_kind::wal;
}

expected<journal_kind> journal_for(const fs::path& directory) {
  struct statfs found {};
  if (::statfs(directory.c_str(), &found) != 0)
    return system_error(directory, "read", errno);
  // The type is signed on some platforms; the constants are 32 bits.
  return journal_for(static_cast<std::uint64_t>(found.f_type) & 0xFFFFFFFF);
}

} // namespace tune
