// SPDX-License-Identifier: BSD-3-Clause
#include "copy_bytes.hpp"
#include "incoming.hpp"
#include "process/proc_files.hpp"

#include "tune/io/files/content_store.hpp"
#include "tune/io/files/file_mode.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/sha256.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t plain_mode = 0644;
constexpr ::mode_t directory_mode = 0755;

/// Empty if it cannot be read.
std::string whole_text(const fs::path& file) {
  constexpr std::size_t longest = 4096;
  auto where = guarded_directory::open(file.parent_path());
  auto text = where ? where->text(file.filename(), longest) : where.error();
  return text ? text->value_or(std::string{}) : std::string{};
}

/// The directory of one job while it is being completed.
class tree {
public:
  tree(const content_store& from, fs::path incoming, fs::path root, bool trusted)
      : from_{from}, incoming_{std::move(incoming)}, root_{std::move(root)}, trusted_{trusted} {}

  expected<void> place(const shipped_file& what) {
    if (auto made = make_parents(what.path); !made)
      return made;
    if (is_there(what))
      return {};
    return copy(what);
  }

private:
  const content_store& from_;
  fs::path incoming_;
  fs::path root_;
  bool trusted_;
  std::string last_parent_;

  /// Creates the parent directories, never through a symbolic link that a program put there.
  expected<void> make_parents(const std::string& path) {
    auto parent = path.substr(0, path.find_last_of('/') + 1);
    if (parent == last_parent_)
      return {};
    for (auto end = parent.find('/'); end != std::string::npos; end = parent.find('/', end + 1)) {
      const auto directory = root_ / parent.substr(0, end);
      struct stat about = {};
      if (::mkdir(directory.c_str(), directory_mode) != 0 && errno != EEXIST)
        return store::system_error(directory, "make the directory", errno);
      if (::lstat(directory.c_str(), &about) != 0 || !S_ISDIR(about.st_mode))
        return error{ec::storage, directory.string() + " is in the way of a directory"};
    }
    last_parent_ = std::move(parent);
    return {};
  }

  bool is_there(const shipped_file& what) const {
    struct stat about = {};
    if (::lstat((root_ / what.path).c_str(), &about) != 0 || !S_ISREG(about.st_mode)
        || static_cast<std::uint64_t>(about.st_size) != what.size
        || (about.st_mode & executable_bits) != what.mode)
      return false;
    if (trusted_)
      return true;
    auto digest = digest_file(root_ / what.path);
    return digest && digest->hash == what.hash;
  }

  expected<void> copy(const shipped_file& what) const {
    const auto source = from_.path_of(what.hash);
    auto where = guarded_directory::open(source.parent_path());
    auto opened = where ? where->read(source.filename()) : where.error();
    if (!opened)
      return opened.error();
    // The timestamp records the last use: see `shrink`.
    ::futimens(opened->number(), nullptr);
    auto to = files::incoming_file::make(incoming_);
    if (!to)
      return to.error();
    auto copied = files::copy_bytes(*opened, to->file(), to->path());
    if (!copied)
      return copied.error();
    if (*copied != what.size)
      return error{ec::storage, source.string() + " was spoilt: it has not "
                                    + std::to_string(what.size) + " bytes"};
    return std::move(*to).rename_to(root_ / what.path, plain_mode | what.mode);
  }
};

} // namespace

expected<void> content_store::link_tree(const file_manifest& what,
                                        const fs::path& directory) const {
  auto stamp = directory;
  stamp += ".complete";
  const auto boot = proc_files::boot_id();
  const auto meaning = boot + ' ' + sha256_of(to_json(what)) + '\n';
  const bool trusted = !boot.empty() && whole_text(stamp) == meaning;

  std::error_code why;
  fs::create_directories(directory, why);
  if (why)
    return error{ec::storage, directory.string() + ": cannot make the directory: " + why.message()};
  tree to{*this, root_ / "incoming", directory, trusted};
  for (const auto& file : what.files) {
    if (auto done = to.place(file); !done)
      return done;
  }
  // Without the stamp, the next call only takes longer.
  if (!trusted && !boot.empty())
    static_cast<void>(store::replace_file(stamp, meaning));
  return {};
}

} // namespace tune
