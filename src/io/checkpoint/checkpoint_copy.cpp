// What a trainable hands over becomes a draft.
// SPDX-License-Identifier: BSD-3-Clause
#include "file_copy.hpp"

#include "tune/io/checkpoint/commit_checkpoint.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
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

/// Whether a link leads to where it came from: it would be followed without end.
/// @param depth directories between the link and the one that is copied.
bool leads_back(const fs::path& link, std::size_t depth) {
  auto passed = link.parent_path();
  for (auto i = depth + 1; i > 0; --i, passed = passed.parent_path()) {
    if (holds(link, passed))
      return true;
  }
  return false;
}

/// Only files and directories can be taken over, and what links lead to where it is one of both.
expected<struct stat> look_at(const fs::path& what) {
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
struct open_branch {
  fs::path from;
  fs::path to;
  std::size_t depth = 0;
};

/// @returns whether it is a directory.
expected<bool> add_to(copy_plan& plan, const open_branch& in, const fs::directory_entry& entry,
                      const checkpoint_limits& limits) {
  auto about = look_at(entry.path());
  if (!about)
    return about.error();
  const auto is_directory = S_ISDIR(about->st_mode);
  std::error_code why;
  if (is_directory && entry.is_symlink(why) && leads_back(entry.path(), in.depth))
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
  return is_directory;
}

/// Lists all of it, before anything is copied: what is too much is known at once.
sliced<expected<copy_plan>> planning(fs::path from, fs::path to, checkpoint_limits limits) {
  copy_plan result;
  std::vector<open_branch> open{{std::move(from), std::move(to), 0}};
  while (!open.empty()) {
    const auto branch = std::move(open.back());
    open.pop_back();
    auto shallow = checkpoint_limits::check_depth(branch.depth);
    if (!shallow)
      co_return shallow.error();
    std::error_code why;
    for (fs::directory_iterator i{branch.from, why}; !why && i != fs::end(i); i.increment(why)) {
      auto is_directory = add_to(result, branch, *i, limits);
      if (!is_directory)
        co_return is_directory.error();
      if (*is_directory)
        open.push_back({i->path(), result.entries.back().to, branch.depth + 1});
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

sliced<expected<void>> copying_checkpoint(fs::path from, fs::path to, checkpoint_limits limits) {
  auto about = look_at(from);
  if (!about)
    co_return about.error();
  if (!S_ISDIR(about->st_mode))
    co_return refusal(from, "it is not a directory");
  if (holds(from, to))
    co_return refusal(from, "the experiment keeps its checkpoints in it");
  auto plan = co_await planning(from, to, limits);
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

expected<void> copy_checkpoint(const fs::path& from, const fs::path& to,
                               const checkpoint_limits& limits) {
  return *finish(copying_checkpoint(from, to, limits));
}

} // namespace tune
