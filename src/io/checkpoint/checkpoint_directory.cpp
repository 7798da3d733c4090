// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include "files/mounts.hpp"
#include "held_checkpoint.hpp"

#include "tune/io/checkpoint/removing.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/remove_tree.hpp"
#include "tune/io/files/removing_tree.hpp"

#include <fcntl.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

fs::path checkpoint_folder(trial_id trial, attempt_id attempt) {
  return fs::path{"trials"} / to_text(trial)
         / ("attempt_" + std::to_string(attempt.epoch) + "_" + std::to_string(attempt.counter));
}

std::string checkpoint_name(std::uint64_t number) {
  constexpr std::size_t width = 6;
  auto digits = std::to_string(number);
  if (digits.size() < width)
    digits.insert(0, width - digits.size(), '0');
  return "checkpoint_" + digits;
}

bool is_checkpoint_location(const std::string& location) {
  const auto way = fs::path{location}.lexically_normal();
  return std::distance(way.begin(), way.end()) == 4 && *way.begin() == "trials"
         && way.filename().string().starts_with("checkpoint_");
}

checkpoint_directory::checkpoint_directory(fs::path experiment, trial_id trial, attempt_id attempt)
    : experiment_{std::move(experiment)}, names_{trial, attempt} {}

fs::path checkpoint_names::next_draft() {
  return folder_ / (checkpoint_name(++count_) + draft_suffix);
}

expected<fs::path> checkpoint_directory::begin() {
  auto made = begin_in({});
  if (!made)
    return made.error();
  return std::move(made->path);
}

expected<made_directory> checkpoint_directory::begin_in(const fs::path& memory) {
  abandon();
  auto made = make_directory({names_.next_draft(), experiment_, memory});
  if (made)
    open_ = made->path;
  return made;
}

void checkpoint_directory::abandon() {
  if (open_.empty())
    return;
  static_cast<void>(remove_from_attempt(open_));
  open_.clear();
}

fs::path trusted_above(const fs::path& directory) {
  const auto trials = directory.parent_path().parent_path().parent_path();
  return trials.filename() == "trials" ? trials : directory.parent_path();
}

fs::path name_of_open(int directory) {
  std::error_code why;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(directory), why);
}

expected<void> check_unmounted(const fs::path& directory) {
  constexpr int as_place = O_PATH | O_DIRECTORY | O_CLOEXEC;
  const auto trusted = trusted_above(directory);
  const auto way = directory.lexically_relative(trusted);
  const store::descriptor root{::open(trusted.empty() ? "." : trusted.c_str(), as_place)};
  if (root.number() < 0)
    return {};
  const store::descriptor place{beneath::open(root.number(), way, as_place)};
  if (place.number() < 0 && errno == EXDEV) {
    auto held = guarded_directory::open(trusted, way);
    return held ? expected<void>{} : held.error();
  }
  const auto here = place.number() < 0 ? fs::path{} : name_of_open(place.number());
  const auto mounted = here.empty() ? std::vector<files::mount_point>{} : files::mounts_in(here);
  if (mounted.empty())
    return {};
  return error{ec::refused,
               "something is mounted at " + mounted.front().where.string() + ": unmount it"};
}

expected<held_checkpoint> hold_checkpoint(const fs::path& directory) {
  if (auto alone = check_unmounted(directory); !alone)
    return alone.error();
  const auto unreadable = [&](const error& why) {
    const auto passes = why.code == ec::shortage || why.code == ec::refused;
    return passes ? why : error{ec::unreadable, why.detail};
  };
  const auto trusted = trusted_above(directory);
  const auto way = directory.parent_path().lexically_relative(trusted);
  auto folder = guarded_directory::open(trusted, way == "." ? fs::path{} : way);
  if (!folder)
    return unreadable(folder.error());
  auto self = folder->enter(directory.filename());
  if (!self)
    return unreadable(self.error());
  return held_checkpoint{std::move(*folder), std::move(*self)};
}

expected<void> remove_from_attempt(const fs::path& what, std::chrono::milliseconds most) {
  const auto trials = what.parent_path().parent_path().parent_path();
  return remove_tree_below(trials, what.lexically_relative(trials), most);
}

expected<void> remove_checkpoint(const fs::path& experiment, const std::string& location) {
  if (location.empty())
    return {};
  if (!is_checkpoint_location(location))
    return error{ec::internal, location + " is no checkpoint"};
  const auto trials = experiment / "trials";
  const auto way = fs::path{location}.lexically_normal().lexically_relative("trials");
  auto folder = guarded_directory::open(trials, way.parent_path());
  if (!folder)
    return remove_from_attempt(trials / way, without_limit);
  // As a draft first: a head that is killed meanwhile leaves no checkpoint that lacks files. Where
  // it cannot be renamed, it is removed as it is.
  const auto name = way.filename().string();
  const auto draft = name + draft_suffix;
  const auto rename = [&](const std::string& from, const std::string& to) {
    return ::renameat(folder->number(), from.c_str(), folder->number(), to.c_str()) == 0;
  };
  const bool is_draft = rename(name, draft);
  // Nobody waits for the removal, and the size of a checkpoint is limited.
  auto done = remove_tree(folder->number(), is_draft ? draft : name, trials / way, without_limit);
  if (!done && is_draft)
    static_cast<void>(rename(draft, name));
  return done;
}

namespace {

/// The id of a trial from the name of its folder.
std::optional<trial_id> trial_of(const fs::path& folder) {
  auto name = folder.filename().string();
  std::uint64_t number = 0;
  auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (failed != std::errc{} || end != name.data() + name.size()
      || to_text(trial_id{number}) != name)
    return std::nullopt;
  return trial_id{number};
}

/// Directories in a folder whose names begin with `prefix`; symbolic links and mount points lead
/// elsewhere and are left alone.
/// @param way path from `trials` to the folder.
std::vector<fs::path> directories_in(const fs::path& trials, const fs::path& way,
                                     std::string_view prefix) {
  auto folder = guarded_directory::open(trials, way);
  if (!folder)
    return {};
  std::vector<fs::path> result;
  std::error_code ignored;
  // By descriptor, so that nobody can redirect it meanwhile.
  const auto held = fs::path{"/proc/self/fd"} / std::to_string(folder->number());
  for (fs::directory_iterator i{held, ignored}; i != fs::end(i); i.increment(ignored)) {
    const auto name = i->path().filename();
    if (name.string().starts_with(prefix) && folder->has_directory(name))
      result.push_back(trials / way / name);
  }
  return result;
}

/// Checkpoints and drafts in the folder of an attempt.
std::vector<fs::path> checkpoints_in(const fs::path& experiment, const fs::path& folder) {
  return directories_in(experiment / "trials", folder.lexically_relative("trials"), "checkpoint_");
}

/// Drafts there, but for the artifacts of further ranks, which may still be on their way: where
/// nodes share the directory, ranks put their files there side by side.
std::vector<fs::path> drafts_in(const fs::path& experiment, const fs::path& folder) {
  auto result = checkpoints_in(experiment, folder);
  std::erase_if(result, [](const fs::path& x) {
    return x.extension() != draft_suffix
           || x.filename().string().starts_with(std::string{artifacts_name} + rank_mark);
  });
  return result;
}

} // namespace

void remove_drafts(const fs::path& experiment, trial_id trial, attempt_id attempt) {
  for (const auto& each : drafts_in(experiment, checkpoint_folder(trial, attempt)))
    static_cast<void>(remove_from_attempt(each));
}

sliced<removed> removing_from_attempt(fs::path what) {
  const auto trials = what.parent_path().parent_path().parent_path();
  static_cast<void>(co_await removing_tree_below(trials, what.lexically_relative(trials)));
  co_return removed{};
}

sliced<removed> removing_directory(attempt_directory where) {
  if (!where.in_memory.empty())
    static_cast<void>(co_await removing_from_attempt(where.in_memory / where.name));
  if (!where.on_disk.empty())
    static_cast<void>(co_await removing_from_attempt(where.on_disk / where.name));
  co_return removed{};
}

namespace {

sliced<removed> removing_all(std::vector<fs::path> what) {
  for (const auto& each : what)
    static_cast<void>(co_await removing_from_attempt(each));
  co_return removed{};
}

} // namespace

sliced<removed> removing_drafts(const fs::path& experiment, trial_id trial, attempt_id attempt) {
  return removing_all(drafts_in(experiment, checkpoint_folder(trial, attempt)));
}

void sweep_checkpoints(const fs::path& experiment, trial_id trial, attempt_id attempt,
                       const std::set<std::string>& registered) {
  for (const auto& each : checkpoints_in(experiment, checkpoint_folder(trial, attempt))) {
    if (!registered.contains(each.lexically_relative(experiment).string()))
      static_cast<void>(remove_from_attempt(each));
  }
}

std::vector<fs::path> list_checkpoints(const fs::path& experiment) {
  std::vector<fs::path> result;
  const auto trials = experiment / "trials";
  for (const auto& folder : directories_in(trials, {}, "")) {
    if (!trial_of(folder))
      continue;
    for (const auto& attempt : directories_in(trials, folder.filename(), "attempt_")) {
      auto some = directories_in(trials, attempt.lexically_relative(trials), "checkpoint_");
      result.insert(result.end(), some.begin(), some.end());
    }
  }
  return result;
}

expected<std::size_t> sweep_checkpoints(const fs::path& experiment,
                                        const is_registered_function& is_registered,
                                        const std::function<void(const error&)>& tell) {
  std::size_t count = 0;
  const auto trials = experiment / "trials";
  for (const auto& folder : directories_in(trials, {}, "")) {
    auto trial = trial_of(folder);
    if (!trial)
      continue;
    std::vector<fs::path> strays;
    for (const auto& attempt : directories_in(trials, folder.filename(), "attempt_")) {
      for (const auto& each :
           directories_in(trials, attempt.lexically_relative(trials), "checkpoint_")) {
        auto known = is_registered(*trial, each.lexically_relative(experiment).string());
        if (!known)
          return known.error();
        if (!*known)
          strays.push_back(each);
      }
    }
    for (const auto& each : strays) {
      if (auto gone = remove_from_attempt(each); !gone && tell)
        tell(gone.error());
    }
    count += strays.size();
  }
  return count;
}

} // namespace tune
