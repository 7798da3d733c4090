// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/commit_checkpoint.hpp"

#include "../store/posix.hpp"
#include "doomed_directory.hpp"
#include "file_copy.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/checkpoint/checkpoint_scan.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

error commit_failed(const std::string& doing, const fs::path& where, const std::error_code& why) {
  return {ec::storage, "cannot " + doing + " " + where.string() + ": " + why.message()};
}

/// Syncs all files and directories below `root`, and `root`.
sliced<expected<void>> syncing_tree(fs::path root) {
  std::error_code why;
  fs::recursive_directory_iterator i{root, why};
  for (; !why && i != fs::end(i); i.increment(why)) {
    co_await next_slice{};
    // Opening a pipe would wait for its writer.
    if (i->is_symlink(why) || !(i->is_regular_file(why) || i->is_directory(why)))
      continue;
    auto done = co_await syncing(i->path());
    if (!done)
      co_return done;
  }
  if (why)
    co_return commit_failed("read", root, why);
  co_return co_await syncing(root);
}

expected<void> write_manifest(const fs::path& directory, const checkpoint_manifest& what) {
  const auto file = directory / checkpoint_manifest_name;
  // A program that copies what it was restored from brings the old one along.
  if (auto gone = remove_tree(file); !gone)
    return gone;
  auto opened = store::open_file(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "write");
  if (!opened)
    return opened.error();
  return store::write_all(*opened, file, to_text(what));
}

/// Syncs the directories between `root` and `what`, in which the names on the way to it stand.
sliced<expected<void>> syncing_names(fs::path what, fs::path root) {
  const auto trusted = trusted_above(root, what);
  for (auto dir = what.parent_path(); dir != root && !dir.empty(); dir = dir.parent_path()) {
    // A link of the user's own is followed. (GCC 12 destroys temporaries of ?: in co_await twice.)
    auto place = dir == trusted ? dir / "." : dir;
    auto done = co_await syncing(std::move(place));
    if (!done)
      co_return done;
  }
  co_return expected<void>{};
}

/// Syncs, renames, and syncs the names on the way down.
/// @param fate of the draft: that of its final name, once it has that. Nobody will hear of it where
///   the last sync fails: then it must not stay either.
sliced<expected<void>> making_visible(checkpoint_draft what, doomed_directory& fate) {
  if (what.durable) {
    auto synced = co_await syncing_tree(what.directory);
    if (!synced)
      co_return synced;
  }
  auto final_name = what.directory;
  final_name.replace_extension();
  std::error_code why;
  if (fs::exists(fs::symlink_status(final_name, why)))
    co_return error{ec::storage, final_name.string() + " is there already"};
  fs::rename(what.directory, final_name, why);
  if (why)
    co_return commit_failed("rename", what.directory, why);
  fate.what = final_name;
  auto synced = expected<void>{};
  if (what.durable)
    synced = co_await syncing_names(final_name, what.experiment);
  if (synced)
    fate.what.clear();
  co_return synced;
}

/// @errors `ec::refused` where the draft is no directory, or is reached through a link: it would be
/// another's files that are listed, synced and renamed.
expected<void> must_be_draft(const checkpoint_draft& what) {
  const auto trusted = trusted_above(what.experiment, what.directory);
  auto opened = guarded_directory::open(trusted, what.directory.lexically_relative(trusted));
  if (!opened)
    return opened.error();
  // What is mounted in it is no part of it.
  if (auto alone = check_unmounted(what.directory); !alone)
    return error{ec::refused,
                 "cannot keep " + what.directory.string() + ": " + alone.error().detail};
  return {};
}

sliced<expected<safe_checkpoint>> making_safe(checkpoint_draft what, doomed_directory fate) {
  if (auto fine = must_be_draft(what); !fine)
    co_return fine.error();
  auto listed = co_await scanning_checkpoint(what.directory, what.iteration, what.limits);
  if (!listed)
    co_return listed.error();
  listed->location
      = what.directory.lexically_relative(what.experiment).replace_extension().generic_string();
  auto written = write_manifest(what.directory, *listed);
  if (!written)
    co_return written.error();
  co_await next_slice{};
  auto done = co_await making_visible(what, fate);
  if (!done)
    co_return done.error();
  co_return safe_checkpoint{listed->location, listed->bytes()};
}

sliced<expected<void>> putting_into_place(checkpoint_draft what, doomed_directory fate) {
  co_return co_await making_visible(std::move(what), fate);
}

} // namespace

// What is given up may not even have begun: its draft goes with what it was called with.

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
