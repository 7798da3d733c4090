// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/gathering_exports.hpp"

#include "files/directory_list.hpp"

#include "tune/io/checkpoint/attempt_directory.hpp"
#include "tune/io/checkpoint/removing.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/removing_tree.hpp"

#include <cerrno>
#include <cstdio>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Why this format is missing; empty if there is a non-empty file or directory.
std::string why_not_there(const expected<guarded_directory>& where, const std::string& format) {
  if (!where && where.error().code == ec::refused)
    return where.error().detail;
  if (where && where->has_content(format))
    return {};
  return where && where->has_mount_point(format)
             ? "something is mounted at " + (where->path() / format).string()
             : "nothing was written";
}

/// Removes exports that count as failed.
sliced<expected<void>> removing_failed(const exported_files& what) {
  const auto trials = what.experiment / "trials";
  for (const auto& format : what.formats) {
    auto way = what.from.lexically_relative("trials") / format;
    if (what.failed.contains(format))
      static_cast<void>(co_await removing_tree_below(trials, std::move(way)));
  }
  co_return expected<void>{};
}

/// Adds missing formats to `failed`. @returns whether any format exists.
bool look(const exported_files& what, std::map<std::string, std::string>& failed) {
  const auto where
      = guarded_directory::open(what.experiment / "trials", what.from.lexically_relative("trials"));
  bool result = false;
  for (const auto& format : what.formats) {
    if (what.failed.contains(format))
      continue;
    if (auto why = why_not_there(where, format); !why.empty())
      failed.emplace(format, std::move(why));
    else
      result = true;
  }
  return result;
}

/// The draft's directory is empty. If something is mounted on one of the two, the kernel refuses
/// without accessing that file system.
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

/// @returns the reason of a failure; empty on success.
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

sliced<gathered_exports> gathering_exports(exported_files what) {
  gathered_exports result{false, what.failed};
  static_cast<void>(co_await removing_failed(what));
  result.is_draft = look(what, result.failed);
  if (result.is_draft) {
    const auto why = move_to_draft(what);
    if (why.empty())
      co_return result;
    for (const auto& format : what.formats)
      result.failed.emplace(format, why);
  }
  static_cast<void>(co_await removing_from_attempt(what.experiment / what.from));
  result.is_draft = false;
  co_return result;
}

gathered_exports gather_exports(const exported_files& what) {
  return *finish(gathering_exports(what));
}

} // namespace tune
