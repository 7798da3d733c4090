// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint_sweep.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Checkpoints and exports that are registered and not removed, according to the log.
struct registered {
  std::map<checkpoint_id, on::saved> checkpoints;
  /// Checkpoints that are being removed.
  std::set<checkpoint_id> doomed;
  /// Locations of everything that lies in the experiment's directory.
  std::set<std::string> locations;
};

/// Reads and checks the whole log. The rows are for people and may be damaged: only the log may
/// decide that something is removed.
expected<registered> registered_in_log(store_reader& from) {
  constexpr std::size_t at_once = 4096;
  registered result;
  for (sequence last = 0;;) {
    auto some = from.events_after(last, at_once);
    if (!some)
      return some.error();
    if (some->empty())
      break;
    last = some->back().seq;
    for (const auto& x : *some) {
      if (const auto* saved = std::get_if<on::saved>(&x.what))
        result.checkpoints[saved->checkpoint] = *saved;
      else if (const auto* gone = std::get_if<on::checkpoint_gone>(&x.what))
        result.checkpoints.erase(gone->checkpoint);
      else if (const auto* doomed = std::get_if<on::checkpoints_doomed>(&x.what))
        result.doomed.insert(doomed->which.begin(), doomed->which.end());
      else if (const auto* exported = std::get_if<on::exported>(&x.what))
        result.locations.insert(exported->location);
    }
  }
  for (const auto& [id, saved] : result.checkpoints)
    result.locations.insert(saved.location);
  return result;
}

void forget_doomed(registered& from) {
  for (auto id : from.doomed) {
    auto known = from.checkpoints.find(id);
    if (known != from.checkpoints.end())
      from.locations.erase(known->second.location);
  }
}

/// Folders of the trial's attempts whose ends are not recorded.
expected<std::vector<std::string>> open_folders(store_reader& from, trial_id trial) {
  auto rows = from.attempts(trial);
  if (!rows)
    return rows.error();
  std::vector<std::string> result;
  for (const auto& x : *rows) {
    if (!x.finished)
      result.push_back(checkpoint_folder(trial, x.attempt).string() + "/");
  }
  return result;
}

/// Whether a checkpoint should be in the directory of its experiment, but is not.
bool is_missing(const fs::path& directory, const std::string& location) {
  if (location.empty() || location.starts_with(kept_outside)
      || location.starts_with(kept_in_memory))
    return false;
  std::error_code why;
  const auto place = directory / location;
  // Not checked on a mounted file system: restoring from it will tell.
  return check_unmounted(place) && !fs::exists(place, why) && !why;
}

} // namespace

expected<std::string> sweep_record(const fs::path& directory, sweeping what) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  // All locations of one trial come together, so its list is read once.
  std::optional<trial_id> listed;
  std::set<std::string> locations;
  std::vector<std::string> open;
  std::optional<registered> in_log;
  std::string first;
  std::size_t left = 0;
  auto swept = sweep_checkpoints(
      directory,
      [&](trial_id trial, const std::string& location) -> expected<bool> {
        if (listed != trial) {
          auto rows = reader->checkpoints(trial);
          if (!rows)
            return rows.error();
          auto exports = reader->exports(trial);
          if (!exports)
            return exports.error();
          locations.clear();
          for (auto& x : *exports)
            locations.insert(std::move(x.location));
          // A checkpoint that counts as gone should not be there.
          for (auto& x : *rows) {
            if (x.state != "gone" && (x.state != "doomed" || what != sweeping::doomed_too))
              locations.insert(std::move(x.location));
          }
          listed = trial;
          if (what == sweeping::unregistered_of_ended) {
            auto folders = open_folders(*reader, trial);
            if (!folders)
              return folders.error();
            open = std::move(*folders);
          }
        }
        auto is_in = [&](const std::string& folder) { return location.starts_with(folder); };
        if (locations.contains(location) || std::any_of(open.begin(), open.end(), is_in))
          return true;
        if (!in_log) {
          auto read = registered_in_log(*reader);
          if (!read)
            return read.error();
          if (what == sweeping::doomed_too)
            forget_doomed(*read);
          in_log = std::move(*read);
        }
        return in_log->locations.contains(location);
      },
      [&](const error& why) {
        if (left++ == 0)
          first = why.detail;
      });
  if (!swept)
    return swept.error();
  if (left > 1)
    first += "; " + std::to_string(left - 1) + " more checkpoints could not be removed";
  return first;
}

expected<std::vector<on::checkpoint_bad>> missing_checkpoints(const fs::path& directory) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  auto rows = reader->good_checkpoints();
  if (!rows)
    return rows.error();
  std::vector<on::checkpoint_bad> result;
  if (std::none_of(rows->begin(), rows->end(),
                   [&](const auto& x) { return is_missing(directory, x.location); }))
    return result;
  auto in_log = registered_in_log(*reader);
  if (!in_log)
    return in_log.error();
  for (const auto& [id, x] : in_log->checkpoints) {
    if (!in_log->doomed.contains(id) && is_missing(directory, x.location))
      result.push_back(
          {x.trial, x.attempt, id, "its directory " + x.location + " is not there any more"});
  }
  return result;
}

} // namespace tune
