// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/commit_checkpoint.hpp"

#include "../files/copy_bytes.hpp"
#include "../store/posix.hpp"

#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace tune {

namespace fs = std::filesystem;

namespace {

error failed(const std::string& doing, const fs::path& where, int why) {
  return {ec::storage, "cannot " + doing + " " + where.string() + ": " + std::strerror(why)};
}

error failed(const std::string& doing, const fs::path& where, const std::error_code& why) {
  return {ec::storage, "cannot " + doing + " " + where.string() + ": " + why.message()};
}

expected<void> sync_path(const fs::path& what) {
  auto descriptor = ::open(what.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0)
    return failed("open", what, errno);
  auto status = ::fsync(descriptor);
  auto why = errno;
  ::close(descriptor);
  if (status != 0)
    return failed("sync", what, why);
  return {};
}

/// Syncs all files and directories below `root`, and `root`.
expected<void> sync_tree(const fs::path& root) {
  std::error_code why;
  fs::recursive_directory_iterator i{root, why};
  for (; !why && i != fs::end(i); i.increment(why)) {
    // Opening a pipe would wait for its writer.
    if (i->is_symlink(why) || !(i->is_regular_file(why) || i->is_directory(why)))
      continue;
    if (auto done = sync_path(i->path()); !done)
      return done;
  }
  if (why)
    return failed("read", root, why);
  return sync_path(root);
}

/// Whether a copy of `outer` into `inner` would copy itself.
bool holds(const fs::path& outer, const fs::path& inner) {
  std::error_code why;
  auto way = fs::relative(inner, outer, why);
  return !why && !way.empty() && *way.begin() != "..";
}

/// Whether a link leads to where it came from: it would be followed without end.
/// @param depth directories between the link and the one that is copied.
bool leads_back(const fs::path& link, int depth) {
  auto passed = link.parent_path();
  for (; depth >= 0; --depth, passed = passed.parent_path()) {
    if (holds(link, passed))
      return true;
  }
  return false;
}

/// Only files and directories can be taken over, and what links lead to where it is one of both.
expected<void> must_be_copiable(const fs::path& what) {
  std::error_code why;
  auto about = fs::status(what, why);
  if (!fs::exists(about))
    return error{ec::storage, "cannot copy " + what.string() + ": "
                                  + (why ? why.message() : "there is no such file or directory")};
  if (fs::is_regular_file(about) || fs::is_directory(about))
    return {};
  return error{ec::storage,
               "cannot copy " + what.string() + ": it is neither a file nor a directory"};
}

/// @errors `ec::storage` where it is no directory, or holds what cannot be taken over.
expected<void> must_be_checkpoint(const fs::path& root) {
  if (auto fit = must_be_copiable(root); !fit)
    return fit;
  std::error_code why;
  if (!fs::is_directory(root, why))
    return error{ec::storage, "cannot copy " + root.string() + ": it is not a directory"};
  auto follow = fs::directory_options::follow_directory_symlink;
  fs::recursive_directory_iterator i{root, follow, why};
  for (; !why && i != fs::end(i); i.increment(why)) {
    if (auto fit = must_be_copiable(i->path()); !fit)
      return fit;
    if (i->is_symlink(why) && i->is_directory(why) && leads_back(i->path(), i.depth()))
      return error{ec::storage,
                   "cannot copy " + i->path().string() + ": the link leads to where it lies"};
  }
  if (why)
    return failed("read", root, why);
  return {};
}

expected<void> write_manifest(const fs::path& directory, const checkpoint_manifest& what) {
  const auto file = directory / checkpoint_manifest_name;
  std::error_code why;
  // A program that copies what it was restored from brings the old one along.
  fs::remove_all(file, why);
  if (why)
    return failed("remove", file, why);
  auto opened = store::open_file(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "write");
  if (!opened)
    return opened.error();
  return store::write_all(*opened, file, to_text(what));
}

/// Syncs the directories between `root` and `what`, in which the names on the way to it stand.
expected<void> sync_names(const fs::path& what, const fs::path& root) {
  for (auto dir = what.parent_path(); dir != root && !dir.empty(); dir = dir.parent_path()) {
    if (auto done = sync_path(dir); !done)
      return done;
  }
  return {};
}

/// Syncs, renames, and syncs the names on the way down.
expected<void> make_visible(const checkpoint_draft& what) {
  if (what.durable) {
    if (auto synced = sync_tree(what.directory); !synced)
      return synced;
  }
  auto final_name = what.directory;
  final_name.replace_extension();
  std::error_code why;
  if (fs::exists(fs::symlink_status(final_name, why)))
    return error{ec::storage, final_name.string() + " is there already"};
  fs::rename(what.directory, final_name, why);
  if (why)
    return failed("rename", what.directory, why);
  auto synced = what.durable ? sync_names(final_name, what.experiment) : expected<void>{};
  // Nobody will hear of it: it must not stay either.
  if (!synced)
    fs::remove_all(final_name, why);
  return synced;
}

/// @errors `ec::refused` where the draft is no directory, or is reached through a link: it would be
/// another's files that are listed, synced and renamed.
expected<void> must_be_draft(const checkpoint_draft& what) {
  // "trials" itself may be a link of the user's own.
  auto trusted = what.experiment;
  auto way = what.directory.lexically_relative(trusted);
  if (way.begin() != way.end() && *way.begin() == "trials") {
    trusted /= "trials";
    way = way.lexically_relative("trials");
  }
  auto opened = guarded_directory::open(trusted, way);
  return opened ? expected<void>{} : opened.error();
}

expected<safe_checkpoint> commit(const checkpoint_draft& what) {
  if (auto fine = must_be_draft(what); !fine)
    return fine.error();
  auto listed = scan_checkpoint(what.directory, what.iteration);
  if (!listed)
    return listed.error();
  listed->location
      = what.directory.lexically_relative(what.experiment).replace_extension().generic_string();
  if (auto written = write_manifest(what.directory, *listed); !written)
    return written.error();
  if (auto done = make_visible(what); !done)
    return done.error();
  return safe_checkpoint{listed->location, listed->bytes()};
}

void remove_draft(const checkpoint_draft& what) {
  std::error_code ignored;
  if (!what.directory.empty())
    fs::remove_all(what.directory, ignored);
}

} // namespace

namespace {

/// What was a file a moment ago is looked at again once it is open: a program may have put a pipe
/// there.
expected<void> copy_one(const fs::path& from, const fs::path& to) {
  auto source = store::open_file(from, O_RDONLY | O_NONBLOCK | O_NOCTTY, "read");
  if (!source)
    return source.error();
  struct ::stat about {};
  if (::fstat(source->number(), &about) != 0 || !S_ISREG(about.st_mode))
    return error{ec::storage,
                 "cannot copy " + from.string() + ": it is neither a file nor a directory"};
  ::unlink(to.c_str());
  auto made = store::open_file(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "write");
  if (!made)
    return made.error();
  auto copied = files::copy_bytes(*source, *made, to);
  if (!copied)
    return copied.error();
  constexpr ::mode_t rights = 0777;
  if (::fchmod(made->number(), about.st_mode & rights) != 0)
    return store::system_error(to, "set the mode", errno);
  return {};
}

expected<void> copy_tree(const fs::path& from, const fs::path& to) {
  std::error_code why;
  auto follow = fs::directory_options::follow_directory_symlink;
  fs::recursive_directory_iterator i{from, follow, why};
  for (; !why && i != fs::end(i); i.increment(why)) {
    const auto place = to / i->path().lexically_relative(from);
    if (i->is_directory(why)) {
      fs::create_directory(place, i->path(), why);
      if (why)
        return failed("make", place, why);
    } else if (auto copied = copy_one(i->path(), place); !copied) {
      return copied;
    }
  }
  return why ? expected<void>{failed("copy", from, why)} : expected<void>{};
}

} // namespace

expected<void> copy_checkpoint(const fs::path& from, const fs::path& to) {
  if (auto fit = must_be_checkpoint(from); !fit)
    return fit;
  if (holds(from, to))
    return error{ec::storage,
                 "cannot copy " + from.string() + ": the experiment keeps its checkpoints in it"};
  return copy_tree(from, to);
}

expected<safe_checkpoint> commit_checkpoint(const checkpoint_draft& what) {
  auto result = commit(what);
  if (!result)
    remove_draft(what);
  return result;
}

expected<safe_checkpoint> try_to_commit(const checkpoint_draft& what) {
  return commit(what);
}

expected<void> place_checkpoint(const checkpoint_draft& what) {
  auto result = make_visible(what);
  if (!result)
    remove_draft(what);
  return result;
}

} // namespace tune
