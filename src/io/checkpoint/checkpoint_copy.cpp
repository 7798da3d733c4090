// What a trainable hands over becomes a draft.
// SPDX-License-Identifier: BSD-3-Clause
#include "../files/mounts.hpp"
#include "copy_apart.hpp"
#include "file_copy.hpp"

#include "tune/io/checkpoint/commit_checkpoint.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

error refusal(const fs::path& what, const std::string& why) {
  return {ec::storage, "cannot copy " + what.string() + ": " + why};
}

/// Whether a copy of `outer` into `inner` would copy itself.
bool holds(const fs::path& outer, const fs::path& inner) {
  std::error_code why;
  auto way = fs::relative(inner, outer, why);
  return !why && !way.empty() && *way.begin() != "..";
}

/// A directory, whatever path or link leads to it, and those that it was reached through. A link
/// to one of them would be followed without end.
struct passed_place {
  ::dev_t device = 0;
  ::ino_t number = 0;
  std::shared_ptr<const passed_place> before;
};
using way_here = std::shared_ptr<const passed_place>;

way_here extended(way_here by, const struct stat& directory) {
  return std::make_shared<passed_place>(
      passed_place{directory.st_dev, directory.st_ino, std::move(by)});
}

bool leads_back(const struct stat& directory, const way_here& passed) {
  for (const auto* x = passed.get(); x != nullptr; x = x->before.get()) {
    if (x->device == directory.st_dev && x->number == directory.st_ino)
      return true;
  }
  return false;
}

/// The directory and all that it lies in.
way_here way_to(const fs::path& directory) {
  std::error_code why;
  const auto whole = fs::canonical(directory, why);
  way_here result;
  fs::path so_far;
  for (const auto& name : whole) {
    so_far /= name;
    struct stat about {};
    if (::stat(so_far.c_str(), &about) == 0)
      result = extended(std::move(result), about);
  }
  return result;
}

/// Only files and directories can be taken over, and what links lead to where it is one of both.
expected<struct stat> look_at_entry(const fs::path& what) {
  struct stat about {};
  if (::stat(what.c_str(), &about) != 0)
    return refusal(what,
                   errno == ENOENT ? "there is no such file or directory" : std::strerror(errno));
  if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
    return refusal(what, "it is neither a file nor a directory");
  return about;
}

/// What is to be copied.
struct plan_entry {
  fs::path from;
  fs::path to;
  bool is_directory = false;
  ::mode_t mode = 0;
};
struct copy_plan {
  std::vector<plan_entry> entries;
  /// As long as the files say they are.
  std::uint64_t bytes = 0;
  /// What they take on the disk.
  std::uint64_t allocated = 0;
};

/// A directory that is still to be looked through.
struct copied_branch {
  fs::path from;
  fs::path to;
  std::size_t depth = 0;
  /// Itself at its end.
  way_here passed;
};

/// @returns the way to it if it is a directory.
expected<way_here> add_to(copy_plan& plan, const copied_branch& in,
                          const fs::directory_entry& entry, const checkpoint_limits& limits) {
  auto about = look_at_entry(entry.path());
  if (!about)
    return about.error();
  const auto is_directory = S_ISDIR(about->st_mode);
  if (is_directory && leads_back(*about, in.passed))
    return refusal(entry.path(), "the link leads to where it lies");
  plan.entries.push_back(
      {entry.path(), in.to / entry.path().filename(), is_directory, about->st_mode});
  if (!is_directory) {
    const auto size = static_cast<std::uint64_t>(about->st_size);
    plan.bytes += size;
    plan.allocated += std::min(size, static_cast<std::uint64_t>(about->st_blocks) * 512);
  }
  if (auto fit = limits.check(plan.bytes, plan.entries.size()); !fit)
    return fit.error();
  return is_directory ? extended(in.passed, *about) : way_here{};
}

/// Says that it is to be done elsewhere; nobody else hears of it.
error may_wait(const fs::path& what) {
  return {ec::unreachable, what.string()};
}

/// Lists all of it, before anything is copied: what is too much is known at once.
/// @param asked Which file systems may be asked; all where it is null. Else fails with
///   `ec::unreachable`.
sliced<expected<copy_plan>> planning(fs::path from, fs::path to, checkpoint_limits limits,
                                     files::answering_mounts* asked) {
  copy_plan result;
  auto passed = way_to(from);
  std::vector<copied_branch> open;
  open.push_back({std::move(from), std::move(to), 0, std::move(passed)});
  while (!open.empty()) {
    const auto branch = std::move(open.back());
    open.pop_back();
    auto shallow = checkpoint_limits::check_depth(branch.depth);
    if (!shallow)
      co_return shallow.error();
    std::error_code why;
    for (fs::directory_iterator i{branch.from, why}; !why && i != fs::end(i); i.increment(why)) {
      if (asked != nullptr && !asked->hold_entry(i->path()))
        co_return may_wait(i->path());
      auto way = add_to(result, branch, *i, limits);
      if (!way)
        co_return way.error();
      if (*way)
        open.push_back({i->path(), result.entries.back().to, branch.depth + 1, std::move(*way)});
      co_await next_slice{};
    }
    if (why)
      co_return refusal(branch.from, why.message());
  }
  co_return result;
}

expected<void> make_directory(const plan_entry& what) {
  constexpr ::mode_t permissions = 0777;
  // Something goes into it, whatever it allowed its owner.
  if (::mkdir(what.to.c_str(), (what.mode & permissions) | S_IRWXU) != 0 && errno != EEXIST)
    return error{ec::storage, "cannot make " + what.to.string() + ": " + std::strerror(errno)};
  return {};
}

} // namespace

namespace {

sliced<expected<void>> copying(fs::path from, fs::path to, checkpoint_limits limits,
                               files::answering_mounts* asked) {
  if (asked != nullptr && !asked->hold(from))
    co_return may_wait(from);
  auto about = look_at_entry(from);
  if (!about)
    co_return about.error();
  if (!S_ISDIR(about->st_mode))
    co_return refusal(from, "it is not a directory");
  if (holds(from, to))
    co_return refusal(from, "the experiment keeps its checkpoints in it");
  auto plan = co_await planning(from, to, limits, asked);
  if (!plan)
    co_return plan.error();
  auto room = check_room(to, plan->allocated);
  if (!room)
    co_return room;
  for (const auto& entry : plan->entries) {
    auto done = expected<void>{};
    if (entry.is_directory)
      done = make_directory(entry);
    else
      done = co_await copying_file(entry.from, entry.to);
    if (!done)
      co_return done;
    co_await next_slice{};
  }
  co_return expected<void>{};
}

} // namespace

sliced<expected<void>> copying_checkpoint(fs::path from, fs::path to, checkpoint_limits limits) {
  // Nothing of a file system on another machine, or that a program makes, for so long: it is gone.
  constexpr std::chrono::seconds patience{30};
  files::answering_mounts asked{to};
  auto done = co_await copying(from, to, limits, &asked);
  if (done || done.error().code != ec::unreachable)
    co_return done;
  // Others' work must not wait for it.
  auto begin = [from, to, limits] { return copying(from, to, limits, nullptr); };
  co_return co_await working_apart(begin, from, patience);
}

expected<void> copy_checkpoint(const fs::path& from, const fs::path& to,
                               const checkpoint_limits& limits) {
  return *finish(copying_checkpoint(from, to, limits));
}

} // namespace tune
