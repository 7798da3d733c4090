// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/gather_exports.hpp"

#include "../files/directory_list.hpp"

#include "tune/io/checkpoint/attempt_directory.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/remove_tree.hpp"

#include <cerrno>
#include <cstdio>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Why there is nothing of this format; empty: there is a file, or a directory that is not empty.
std::string why_not_there(const expected<guarded_directory>& where, const std::string& format) {
  if (!where && where.error().code == ec::refused)
    return where.error().detail;
  if (where && where->has_content(format))
    return {};
  return where && where->has_mount_point(format)
             ? "something is mounted at " + (where->path() / format).string()
             : "nothing was written";
}

/// Takes off what counts as failed, and adds what is not there.
/// @returns whether there is anything.
bool look(const exported_files& what, std::map<std::string, std::string>& failed) {
  const auto trials = what.experiment / "trials";
  const auto way = what.from.lexically_relative("trials");
  const auto where = guarded_directory::open(trials, way);
  bool result = false;
  for (const auto& format : what.formats) {
    if (failed.contains(format))
      static_cast<void>(remove_tree_below(trials, way / format));
    else if (auto why = why_not_there(where, format); !why.empty())
      failed.emplace(format, std::move(why));
    else
      result = true;
  }
  return result;
}

/// The place of the draft is empty. The kernel asks nobody of what is mounted upon one of the two,
/// and refuses.
expected<void> rename_to(const fs::path& draft, const exported_files& what) {
  const auto trials = what.experiment / "trials";
  const auto way = what.from.lexically_relative("trials");
  auto from = guarded_directory::open(trials, way.parent_path());
  auto to = guarded_directory::open(trials, draft.parent_path().lexically_relative(trials));
  if (!from || !to)
    return from ? to.error() : from.error();
  if (::renameat(from->number(), way.filename().c_str(), to->number(), draft.filename().c_str())
      != 0)
    return files::not_reached(what.experiment / what.from, "rename", errno, ec::storage);
  return {};
}

/// @returns why that cannot be; empty: it is done.
std::string move_to_draft(const exported_files& what) {
  const attempt_directory place{what.draft, what.experiment};
  auto draft = make_directory(place);
  if (!draft)
    return to_text(draft.error());
  auto moved = rename_to(draft->path, what);
  if (moved)
    return {};
  remove_directory(place);
  return moved.error().detail;
}

} // namespace

gathered_exports gather_exports(const exported_files& what) {
  gathered_exports result{false, what.failed};
  result.is_draft = look(what, result.failed);
  if (result.is_draft) {
    const auto why = move_to_draft(what);
    if (why.empty())
      return result;
    for (const auto& format : what.formats)
      result.failed.emplace(format, why);
  }
  static_cast<void>(remove_from_attempt(what.experiment / what.from));
  return {false, std::move(result.failed)};
}

} // namespace tune
