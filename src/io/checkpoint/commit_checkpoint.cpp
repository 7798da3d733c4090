// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/commit_checkpoint.hpp"

#include "doomed_directory.hpp"
#include "file_copy.hpp"
#include "files/directory_list.hpp"
#include "held_checkpoint.hpp"
#include "held_scan.hpp"
#include "posix/posix.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/files/file_manifest.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/removing_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr ::mode_t manifest_mode = 0666;

/// Whether it may be opened and synced: opening a named pipe would wait for its writer.
bool is_synced(const guarded_directory& held, const fs::path& way, unsigned char type) {
  if (type != DT_UNKNOWN)
    return type == DT_REG;
  const auto about = files::look_beneath(held.number(), way, way, ec::storage);
  return about && S_ISREG(about->st_mode);
}

bool is_entered(const guarded_directory& held, const fs::path& way, unsigned char type) {
  return type == DT_DIR || (type == DT_UNKNOWN && held.has_directory(way.string()));
}

/// Syncs all files and directories below a directory, and the directory itself.
sliced<expected<void>> syncing_tree(const guarded_directory& held) {
  std::vector<fs::path> open(1);
  while (!open.empty()) {
    const auto branch = std::move(open.back());
    open.pop_back();
    const auto where = branch.empty() ? held.path() : held.path() / branch;
    auto names = files::directory_list::open(held.number(), branch, where, ec::storage);
    if (!names)
      co_return names.error();
    for (;;) {
      auto next = names->next();
      if (!next)
        co_return next.error();
      if (!*next)
        break;
      co_await next_slice{};
      auto way = branch / (*next)->name;
      auto done = expected<void>{};
      if (is_synced(held, way, (*next)->type))
        done = co_await syncing_beneath(held, std::move(way));
      else if (is_entered(held, way, (*next)->type))
        open.push_back(std::move(way));
      if (!done)
        co_return done;
    }
    auto done = co_await syncing_beneath(held, branch);
    if (!done)
      co_return done;
  }
  co_return expected<void>{};
}

expected<void> write_manifest(const guarded_directory& held, const checkpoint_manifest& what) {
  const auto file = held.path() / checkpoint_manifest_name;
  const auto text = to_text(what);
  if (text.size() > max_manifest_bytes)
    return error{ec::refused, "the list of its files takes " + std::to_string(text.size())
                                  + " bytes, more than " + std::to_string(max_manifest_bytes)
                                  + ": it has too many files, or their names are too long"};
  // A program that copies the checkpoint it was restored from brings the old manifest along.
  if (::unlinkat(held.number(), checkpoint_manifest_name, 0) != 0 && errno != ENOENT) {
    if (errno == EISDIR)
      return error{ec::refused,
                   file.string() + " is a directory: the runtime's list has that name"};
    return store::system_error(file, "remove", errno);
  }
  // Opens only a file created now.
  const store::descriptor opened{::openat(held.number(), checkpoint_manifest_name,
                                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                          manifest_mode)};
  if (opened.number() < 0)
    return store::system_error(file, "write", errno);
  return store::write_all(opened, file, text);
}

/// Syncs the directories between `root` and `what`, which have the names on the way to it.
sliced<expected<void>> syncing_names(fs::path what, fs::path root) {
  const auto trusted = trusted_above(root, what);
  for (auto dir = what.parent_path(); dir != root && !dir.empty(); dir = dir.parent_path()) {
    const auto way = dir == trusted ? fs::path{} : dir.lexically_relative(trusted);
    auto held = guarded_directory::open(trusted, way);
    if (!held)
      co_return held.error();
    auto done = co_await syncing_beneath(*held, {});
    if (!done)
      co_return done;
  }
  co_return expected<void>{};
}

/// Gives the draft its final name. If something is mounted on it, the kernel refuses without
/// accessing that file system.
expected<void> rename_draft(const held_checkpoint& draft, const std::string& final_name) {
  const auto final_path = draft.folder.path() / final_name;
  if (draft.folder.has_any(final_name))
    return error{ec::storage, final_path.string() + " is there already"};
  const auto folder = draft.folder.number();
  if (::renameat(folder, draft.name().c_str(), folder, final_name.c_str()) != 0)
    return files::not_reached(draft.path(), "rename", errno, ec::storage);
  return {};
}

/// Checks that the program has not replaced the draft since it was opened.
expected<void> check_placed(const held_checkpoint& draft, const std::string& final_name) {
  const store::descriptor opened{
      beneath::open(draft.folder.number(), final_name, O_PATH | O_DIRECTORY)};
  struct stat placed {};
  struct stat held {};
  if (opened.number() >= 0 && ::fstat(opened.number(), &placed) == 0
      && ::fstat(draft.self.number(), &held) == 0 && placed.st_dev == held.st_dev
      && placed.st_ino == held.st_ino)
    return {};
  return error{ec::refused,
               draft.path().string() + ": something else took its place while it was saved"};
}

/// Syncs, renames, and syncs the parent directories.
/// @param fate removes the draft, or the renamed directory, on failure: if the last sync fails,
///   nobody learns of the checkpoint, so it must not stay either.
sliced<expected<void>> making_visible(const checkpoint_draft& what, const held_checkpoint& held,
                                      doomed_directory& fate) {
  if (what.durable) {
    auto synced = co_await syncing_tree(held.self);
    if (!synced)
      co_return synced;
  }
  auto final_name = what.directory;
  final_name.replace_extension();
  auto renamed = rename_draft(held, final_name.filename());
  if (!renamed)
    co_return renamed;
  if (!fate.what.empty())
    fate.what = final_name;
  auto synced = check_placed(held, final_name.filename());
  if (synced && what.durable)
    synced = co_await syncing_names(final_name, what.experiment);
  if (synced)
    fate.what.clear();
  co_return synced;
}

/// @errors `ec::refused` if the draft is not a directory or is reached through a symbolic link,
/// since somebody else's files would then be listed, synced and renamed. Likewise if something is
/// mounted in it, which is not part of it.
expected<held_checkpoint> hold_draft(const checkpoint_draft& what) {
  auto held = hold_checkpoint(what.directory);
  if (!held && held.error().code == ec::refused)
    return error{ec::refused,
                 "cannot keep " + what.directory.string() + ": " + held.error().detail};
  if (!held && held.error().code == ec::unreadable)
    return error{ec::storage, held.error().detail};
  return held;
}

sliced<expected<safe_checkpoint>> listing_and_placing(const checkpoint_draft& what,
                                                      doomed_directory& fate) {
  auto held = hold_draft(what);
  if (!held)
    co_return held.error();
  auto listed = co_await scanning_held(held->self, what.iteration, what.limits);
  if (!listed)
    co_return listed.error();
  listed->location
      = what.directory.lexically_relative(what.experiment).replace_extension().generic_string();
  auto written = write_manifest(held->self, *listed);
  if (!written)
    co_return written.error();
  co_await next_slice{};
  auto done = co_await making_visible(what, *held, fate);
  if (!done)
    co_return done.error();
  co_return safe_checkpoint{listed->location, listed->bytes()};
}

/// Removes in slices whatever could not be kept, so that other work gets its turns.
sliced<expected<safe_checkpoint>> making_safe(checkpoint_draft what, doomed_directory fate) {
  auto done = co_await listing_and_placing(what, fate);
  if (done || fate.what.empty())
    co_return done;
  // If given up during the removal, the destructor of `fate` does what it can at once.
  auto way = fate.what.lexically_relative(fate.trusted);
  static_cast<void>(co_await removing_tree_below(fate.trusted, std::move(way)));
  fate.what.clear();
  co_return done;
}

sliced<expected<void>> putting_into_place(checkpoint_draft what, doomed_directory fate) {
  auto held = hold_draft(what);
  if (!held)
    co_return held.error();
  co_return co_await making_visible(what, *held, fate);
}

} // namespace

// The work may be given up before its first slice: its arguments then remove the draft.

sliced<expected<safe_checkpoint>> committing_checkpoint(checkpoint_draft what) {
  doomed_directory fate{what.experiment, what.directory};
  return making_safe(std::move(what), std::move(fate));
}

sliced<expected<safe_checkpoint>> trying_to_commit(checkpoint_draft what) {
  return making_safe(std::move(what), doomed_directory{});
}

sliced<expected<void>> placing_checkpoint(checkpoint_draft what) {
  doomed_directory fate{what.experiment, what.directory};
  return putting_into_place(std::move(what), std::move(fate));
}

expected<safe_checkpoint> commit_checkpoint(const checkpoint_draft& what) {
  return *finish(committing_checkpoint(what));
}

expected<void> place_checkpoint(const checkpoint_draft& what) {
  return *finish(placing_checkpoint(what));
}

} // namespace tune
