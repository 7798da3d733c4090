// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint/doomed_directory.hpp"
#include "checkpoint/file_copy.hpp"
#include "posix/posix.hpp"

#include "tune/io/artifacts/artifacts.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <cerrno>
#include <cstdio>
#include <set>
#include <system_error>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

expected<void> check_names(const checkpoint_manifest& what) {
  if (!what.links.empty())
    return error{ec::refused, what.links.front().path + " is a link, and no artifact"};
  for (const auto& file : what.files) {
    if (is_runtime_name(file.path.substr(0, file.path.find('/'))))
      return error{ec::refused, file.path + " has a name of the runtime"};
  }
  return {};
}

/// Source and destination of the files.
struct removal {
  fs::path trials;
  fs::path trial;
  guarded_directory from;
  /// Paths of directories that received new entries.
  std::set<fs::path> touched = {};
};

/// Moves one file. Whatever has the name is replaced and not followed, except a directory.
expected<void> move_file(removal& how, const shipped_file& what) {
  const fs::path way{what.path};
  const auto where = way.has_parent_path() ? how.trial / way.parent_path() : how.trial;
  auto to = guarded_directory::make(how.trials, where);
  if (!to)
    return to.error();
  auto from = how.from.enter(way.has_parent_path() ? way.parent_path() : ".");
  if (!from)
    return from.error();
  // If something is mounted on one of the two names, the kernel refuses without asking that file
  // system.
  const auto name = way.filename();
  if (::renameat(from->number(), name.c_str(), to->number(), name.c_str()) != 0)
    return store::system_error(to->path() / name, "put a trial's file there", errno);
  how.touched.insert(where);
  return {};
}

/// @param fate The source directory, which is removed once everything is done.
sliced<expected<std::uint64_t>> moving(removal how, checkpoint_manifest content,
                                       [[maybe_unused]] doomed_directory fate) {
  for (const auto& file : content.files) {
    auto synced = co_await syncing_beneath(how.from, file.path);
    if (!synced)
      co_return synced.error();
    co_await next_slice{};
  }
  // A file that cannot be put in place does not prevent the others.
  expected<void> trouble;
  for (const auto& file : content.files) {
    if (auto moved = move_file(how, file); !moved && trouble)
      trouble = moved.error();
    co_await next_slice{};
  }
  for (const auto& way : how.touched) {
    auto held = guarded_directory::open(how.trials, way);
    auto synced = held ? expected<void>{} : held.error();
    if (held)
      synced = co_await syncing_beneath(*held, {});
    if (!synced && trouble)
      trouble = synced.error();
  }
  if (!trouble)
    co_return trouble.error();
  co_return content.bytes();
}

} // namespace

fs::path artifact_draft(const artifact_source& whose) {
  std::string name = artifacts_name;
  if (whose.rank > 0)
    name += rank_mark + std::to_string(whose.rank);
  return checkpoint_folder(whose.trial, whose.attempt) / (name + draft_suffix);
}

expected<void> clear_artifact_draft(const fs::path& experiment, const artifact_source& whose) {
  const auto trials = experiment / "trials";
  const auto draft = experiment / artifact_draft(whose);
  std::error_code why;
  fs::create_directories(trials, why);
  if (why)
    return error{ec::storage, "cannot make " + trials.string() + ": " + why.message()};
  auto folder = guarded_directory::make(trials, draft.parent_path().lexically_relative(trials));
  return folder ? folder->remove_tree(draft.filename()) : folder.error();
}

sliced<expected<std::uint64_t>> placing_artifacts(fs::path experiment, artifact_source whose,
                                                  checkpoint_manifest content) {
  const auto trials = experiment / "trials";
  doomed_directory fate{experiment, experiment / artifact_draft(whose)};
  if (auto fine = check_names(content); !fine)
    co_return fine.error();
  auto from = guarded_directory::open(trials, fate.what.lexically_relative(trials));
  if (!from)
    co_return from.error();
  removal how{trials, to_text(whose.trial), std::move(*from)};
  co_return co_await moving(std::move(how), std::move(content), std::move(fate));
}

} // namespace tune
