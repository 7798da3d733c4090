// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/storage.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t events_at_once = 10'000;

/// The row of what the directory holds, which was recorded under a configuration that may go on as
/// `wanted`, and that configuration.
expected<std::pair<experiment_row, spec>> may_go_on(const fs::path& directory, const spec& wanted) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  auto row = reader->experiment();
  if (!row)
    return row.error();
  auto before = spec_from_json(row->spec);
  if (!before)
    return before.error();
  if (auto fits = may_resume(changes(*before, wanted)); !fits)
    return fits.error();
  return std::pair{std::move(*row), std::move(*before)};
}

/// Whether the run may try more configurations than it did.
bool has_more_samples(const spec& before, const spec& wanted) {
  auto old = before.experiment.num_samples;
  auto now = wanted.experiment.num_samples;
  return old > 0 && (now == 0 || now > old);
}

/// Where the checkpoints lie that are registered and not removed, as the log has it. All of the log
/// is read and checked: what is not in it will be removed for good.
expected<std::set<std::string>> registered_in_log(store_reader& from) {
  constexpr std::size_t at_once = 4096;
  std::map<checkpoint_id, std::string> known;
  for (sequence last = 0;;) {
    auto some = from.events_after(last, at_once);
    if (!some)
      return some.error();
    if (some->empty())
      break;
    last = some->back().seq;
    for (const auto& x : *some) {
      if (const auto* saved = std::get_if<on::saved>(&x.what))
        known[saved->checkpoint] = saved->location;
      else if (const auto* gone = std::get_if<on::checkpoint_gone>(&x.what))
        known.erase(gone->checkpoint);
    }
  }
  std::set<std::string> result;
  for (auto& [id, location] : known)
    result.insert(std::move(location));
  return result;
}

/// Removes what attempts of earlier heads, which are over, wrote and nobody registered.
expected<void> sweep(const fs::path& directory) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  // All of one trial come together: its list is read once.
  std::optional<trial_id> listed;
  std::set<std::string> locations;
  // The rows are for people and may be damaged: only the log may condemn.
  std::optional<std::set<std::string>> in_log;
  auto swept = sweep_checkpoints(
      directory, [&](trial_id trial, const std::string& location) -> expected<bool> {
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
          // What is gone should not be there; what is doomed the runner has removed.
          for (auto& x : *rows) {
            if (x.state != "gone")
              locations.insert(std::move(x.location));
          }
          listed = trial;
        }
        if (locations.contains(location))
          return true;
        if (!in_log) {
          auto read = registered_in_log(*reader);
          if (!read)
            return read.error();
          in_log = std::move(*read);
        }
        return in_log->contains(location);
      });
  if (!swept)
    return swept.error();
  return {};
}

/// The trials that failed, as wishes to run them again.
expected<std::vector<on::retry_asked>> failed_trials(const fs::path& directory, bool from_scratch) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  trial_query failed;
  failed.status = trial_status::errored;
  failed.limit = std::numeric_limits<std::size_t>::max();
  auto rows = reader->trials(failed);
  if (!rows)
    return rows.error();
  std::vector<on::retry_asked> result;
  for (auto& x : *rows)
    result.push_back({x.trial, std::make_shared<const object>(std::move(x.config)),
                      std::move(x.origin), from_scratch});
  return result;
}

} // namespace

expected<bool> needs_nothing_more(const fs::path& directory, const spec& wanted, resume_mode how) {
  auto state = inspect_directory(directory);
  if (!state)
    return state.error();
  if (*state != directory_state::experiment)
    return false;
  auto before = may_go_on(directory, wanted);
  if (!before)
    return before.error();
  auto failed = before->first.counts[static_cast<std::size_t>(trial_status::errored)];
  if (how != resume_mode::automatic && failed > 0)
    return false;
  return before->first.status == to_text(experiment_status::done)
         && !has_more_samples(before->second, wanted);
}

expected<opened_storage> open_storage(const fs::path& directory, const spec& wanted,
                                      std::optional<resume_mode> resume) {
  auto state = inspect_directory(directory);
  if (!state)
    return state.error();
  auto holds = *state == directory_state::experiment;
  if (holds && !resume) {
    return error{ec::refused, directory.string()
                                  + " holds an experiment already: go on with it by --resume, or"
                                    " choose another name by --experiment.name NAME"};
  }
  if (holds) {
    if (auto fits = may_go_on(directory, wanted); !fits)
      return fits.error();
  }
  auto opened = holds ? experiment_store::open(directory) : experiment_store::create(directory);
  if (!opened)
    return opened.error();
  // The directory is ours now.
  if (holds) {
    if (auto swept = sweep(directory); !swept)
      return swept.error();
  }
  opened_storage result{std::make_shared<experiment_store>(std::move(*opened)), holds};
  if (!holds || *resume == resume_mode::automatic)
    return result;
  auto again = failed_trials(directory, *resume == resume_mode::restart_errored);
  if (!again)
    return again.error();
  result.again = std::move(*again);
  result.only_again = *resume == resume_mode::errored_only;
  return result;
}

history_source history_of(const std::filesystem::path& directory) {
  auto reader = std::make_shared<std::optional<store_reader>>();
  return [reader, directory](sequence after) -> expected<std::vector<event>> {
    if (!*reader) {
      auto opened = store_reader::open(directory);
      if (!opened)
        return opened.error();
      reader->emplace(std::move(*opened));
    }
    return (*reader)->events_after(after, events_at_once);
  };
}

} // namespace tune
