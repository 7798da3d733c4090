// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include "tune/io/files/guarded_directory.hpp"

#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

error failed(const std::string& doing, const fs::path& where, const std::error_code& why) {
  return {ec::storage, "cannot " + doing + " " + where.string() + ": " + why.message()};
}

/// Removes what lies in the folder of an attempt, as far as that can be. Nothing where a link leads
/// to the folder: it may be another's.
void remove_unlinked(const fs::path& folder, const std::string& name) {
  // Below "trials": trial and attempt.
  const auto trials = folder.parent_path().parent_path();
  auto held = guarded_directory::open(trials, folder.lexically_relative(trials));
  if (held)
    static_cast<void>(held->remove_tree(name));
}

} // namespace

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
    : experiment_{std::move(experiment)}, folder_{checkpoint_folder(trial, attempt)} {}

expected<fs::path> checkpoint_directory::begin() {
  return begin_below(experiment_);
}

expected<fs::path> checkpoint_directory::begin_below(const fs::path& root) {
  abandon();
  auto draft = root / folder_ / (checkpoint_name(++count_) + draft_suffix);
  const auto trials = root / "trials";
  std::error_code why;
  fs::create_directories(trials, why);
  if (why)
    return failed("make", trials, why);
  if (auto made = guarded_directory::make(trials, draft.lexically_relative(trials)); !made)
    return made.error();
  return open_ = std::move(draft);
}

void checkpoint_directory::abandon() {
  if (open_.empty())
    return;
  remove_unlinked(open_.parent_path(), open_.filename());
  open_.clear();
}

expected<void> remove_checkpoint(const fs::path& experiment, const std::string& location) {
  if (location.empty())
    return {};
  if (!is_checkpoint_location(location))
    return error{ec::internal, location + " is no checkpoint"};
  const auto trials = experiment / "trials";
  const auto way = fs::path{location}.lexically_normal();
  auto folder = guarded_directory::open(trials, way.parent_path().lexically_relative("trials"));
  // Where its folder is gone, so is it.
  std::error_code ignored;
  if (!folder && !fs::exists(fs::symlink_status(experiment / way.parent_path(), ignored)))
    return {};
  return folder ? folder->remove_tree(way.filename()) : folder.error();
}

namespace {

/// The number of a trial by the name of its folder.
std::optional<trial_id> trial_of(const fs::path& folder) {
  auto name = folder.filename().string();
  std::uint64_t number = 0;
  auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (failed != std::errc{} || end != name.data() + name.size()
      || to_text(trial_id{number}) != name)
    return std::nullopt;
  return trial_id{number};
}

/// Directories in `folder` whose names begin with `prefix`; links lead elsewhere and are left
/// alone.
std::vector<fs::path> directories_in(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> result;
  std::error_code ignored;
  for (fs::directory_iterator i{folder, ignored}; i != fs::end(i); i.increment(ignored)) {
    if (i->path().filename().string().starts_with(prefix) && i->is_directory(ignored)
        && !i->is_symlink(ignored))
      result.push_back(i->path());
  }
  return result;
}

} // namespace

void remove_drafts(const fs::path& experiment, trial_id trial, attempt_id attempt) {
  for (const auto& each :
       directories_in(experiment / checkpoint_folder(trial, attempt), "checkpoint_")) {
    if (each.extension() == draft_suffix)
      remove_unlinked(each.parent_path(), each.filename());
  }
}

void sweep_checkpoints(const fs::path& experiment, trial_id trial, attempt_id attempt,
                       const std::set<std::string>& registered) {
  for (const auto& each :
       directories_in(experiment / checkpoint_folder(trial, attempt), "checkpoint_")) {
    if (!registered.contains(each.lexically_relative(experiment).string()))
      remove_unlinked(each.parent_path(), each.filename());
  }
}

std::vector<fs::path> list_checkpoints(const fs::path& experiment) {
  std::vector<fs::path> result;
  for (const auto& folder : directories_in(experiment / "trials", "")) {
    if (!trial_of(folder))
      continue;
    for (const auto& attempt : directories_in(folder, "attempt_")) {
      auto some = directories_in(attempt, "checkpoint_");
      result.insert(result.end(), some.begin(), some.end());
    }
  }
  return result;
}

expected<std::size_t> sweep_checkpoints(const fs::path& experiment,
                                        const is_registered_function& is_registered) {
  std::size_t count = 0;
  for (const auto& folder : directories_in(experiment / "trials", "")) {
    auto trial = trial_of(folder);
    if (!trial)
      continue;
    std::vector<fs::path> strays;
    for (const auto& attempt : directories_in(folder, "attempt_")) {
      for (const auto& each : directories_in(attempt, "checkpoint_")) {
        auto known = is_registered(*trial, each.lexically_relative(experiment).string());
        if (!known)
          return known.error();
        if (!*known)
          strays.push_back(each);
      }
    }
    for (const auto& each : strays)
      remove_unlinked(each.parent_path(), each.filename());
    count += strays.size();
  }
  return count;
}

} // namespace tune
