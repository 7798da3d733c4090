// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/storage.hpp"

#include "checkpoint_sweep.hpp"

#include "tune/core/own_words.hpp"
#include "tune/core/plugin/options.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/sinks/trial_files/trial_files.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/fit_config.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/directory_rights.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/log_place.hpp"

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t events_at_once = 10'000;

/// Writes points as they are written today: earlier versions recorded members of subsets in any
/// order.
void rewrite_points(spec& in) {
  auto space = search_space::parse(space_lines(in));
  if (!space)
    return;
  for (auto& x : in.search.points)
    x = fit_config(x, *space);
  for (auto& x : in.search.known)
    x.config = fit_config(x.config, *space);
}

/// The row of the experiment in the directory, and its configuration, which may go on as `wanted`.
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
  auto here = *before;
  rewrite_points(here);
  // The directory was renamed: its new name is the experiment's name from now on.
  if (wanted.experiment.name == directory.filename())
    here.experiment.name = wanted.experiment.name;
  if (auto fits = may_resume(changes(here, wanted)); !fits)
    return fits.error();
  return std::pair{std::move(*row), std::move(*before)};
}

/// The gain below which the search ends; 0: it never ends for that.
double gain_wanted(const spec& what) {
  double result = 0;
  for (const auto& x : what.search.options) {
    auto number = ends_search(what, x.name) ? parse_number(x.text) : expected<double>{0};
    if (number && *number > 0)
      result = *number;
  }
  return result;
}

/// Whether the run may try more configurations than before.
bool has_more_samples(const spec& before, const spec& wanted) {
  auto old = before.experiment.num_samples;
  auto now = wanted.experiment.num_samples;
  return (old > 0 && (now == 0 || now > old)) || gain_wanted(wanted) < gain_wanted(before);
}

/// The trials that failed, as requests to run them again.
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

namespace {

/// Whether no head holds the directory; one that cannot be written to counts as such.
bool nobody_runs(const fs::path& directory) {
  auto lock = directory_lock::take(directory);
  return lock || lock.error().code != ec::refused;
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
  // All else waits for the next time: nothing is to run, and the end stays what it was.
  if (how == resume_mode::errored_only)
    return nobody_runs(directory);
  return before->first.status == to_text(experiment_status::done)
         && !has_more_samples(before->second, wanted);
}

expected<void> finish_up(const fs::path& directory, const spec& wanted) {
  auto lock = directory_lock::take(directory);
  // The lock is held by a head, which does this itself, or the directory is not writable.
  if (!lock)
    return {};
  auto swept = sweep_record(directory, sweeping::doomed_too);
  if (!swept)
    return swept.error();
  auto odd = std::move(*swept);
  if (!wanted.log.trial_files)
    return odd.empty() ? expected<void>{} : error{ec::storage, odd};
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  auto last = reader->last_seq();
  if (!last)
    return last.error();
  auto files = trial_files::open(
      directory, [&odd](const std::string& text) { odd += (odd.empty() ? "" : "; ") + text; });
  if (!files)
    return files.error();
  auto done = (*files)->catch_up(*last);
  if (done && !odd.empty())
    return error{ec::storage, odd};
  return done;
}

namespace {

/// @returns a warning. @errors `ec::refused`.
expected<std::string> rights_of(const fs::path& directory) {
  auto inside = check_rights(directory);
  if (!inside || !inside->empty())
    return inside;
  // Users with rights there could replace the directory. Many containers have only such places.
  auto above = check_rights(directory.has_parent_path() ? directory.parent_path() : fs::path{"."});
  return above ? *above : above.error().detail;
}

/// Whether a file of this name belongs to the record, or is created beside it.
bool is_of_record(const fs::path& name) {
  static const std::set<std::string> own{"lock", ".probe", ".control", ".tune_head"};
  const auto text = name.string();
  return own.contains(text) || text.starts_with(database_file("").filename().string());
}

} // namespace

expected<void> check_log_file(const fs::path& directory, const std::string& file) {
  if (file.empty())
    return {};
  auto fail = [&](const fs::path& what) {
    return error{ec::bad_option, "[log] file = " + file + ": it would be written into "
                                     + what.string() + ", which holds the record of the"
                                     + " experiment: choose another name"};
  };
  std::error_code why;
  const auto log = fs::weakly_canonical(directory / file, why);
  const auto root = fs::weakly_canonical(directory, why);
  if (why)
    return {}; // reported when it is opened
  const auto way = log.lexically_relative(root);
  const auto first = way.empty() ? fs::path{} : *way.begin();
  if (is_of_record(first) || first == trials_directory("").filename())
    return fail(log);
  // Other names of the same files.
  for (fs::directory_iterator i{root, why}; !why && i != fs::end(i); i.increment(why)) {
    std::error_code ignored;
    if (is_of_record(i->path().filename()) && fs::equivalent(i->path(), log, ignored))
      return fail(i->path());
  }
  return {};
}

namespace {

/// The notice of trials that clients paused one by one; empty: there are none.
expected<std::string> held_in(store_reader& from, const fs::path& directory) {
  auto held = from.held_trials();
  if (!held)
    return held.error();
  if (held->empty())
    return std::string{};
  return (held->size() == 1 ? "trial " + to_text(held->front()) + " was"
                            : std::to_string(held->size()) + " trials were")
         + " paused by a client, and " + (held->size() == 1 ? "waits" : "wait") + " until "
         + unpause_call(directory, *held);
}

/// The notice of a pause that stands: else a user who resumes would wait without knowing why.
expected<std::string> pause_in(const fs::path& directory) {
  auto reader = store_reader::open(directory);
  auto paused = reader ? reader->stands_paused() : expected<bool>{reader.error()};
  if (!paused)
    return paused.error();
  if (!*paused)
    return held_in(*reader, directory);
  return "the experiment was paused by a client, and starts no trial until "
         + unpause_call(directory);
}

} // namespace

expected<opened_storage> open_storage(const fs::path& directory, const spec& wanted,
                                      std::optional<resume_mode> resume, bool keeps_open) {
  if (auto apart = check_log_file(directory, wanted.log.file); !apart)
    return apart.error();
  auto rights = rights_of(directory);
  if (!rights)
    return rights.error();
  auto state = inspect_directory(directory);
  if (!state)
    return state.error();
  auto holds = *state == directory_state::experiment;
  if (holds && !resume) {
    return error{ec::refused, directory.string() + " holds an experiment already: go on with it by "
                                  + std::string{way_to_resume()} + ", or begin beside it by "
                                  + std::string{way_to_number()}};
  }
  if (holds) {
    if (auto fits = may_go_on(directory, wanted); !fits)
      return fits.error();
  }
  auto opened = holds ? experiment_store::open(directory) : experiment_store::create(directory);
  if (!opened)
    return opened.error();
  // The directory is locked by now.
  const auto what = keeps_open ? sweeping::unregistered_of_ended : sweeping::unregistered;
  auto swept = holds ? sweep_record(directory, what) : expected<std::string>{std::string{}};
  if (!swept)
    return swept.error();
  opened_storage result{std::make_shared<experiment_store>(std::move(*opened)), holds};
  result.warning = std::move(*rights);
  if (!swept->empty())
    result.warning += (result.warning.empty() ? "" : "; ") + *swept;
  if (holds) {
    auto missing = missing_checkpoints(directory);
    if (!missing)
      return missing.error();
    result.bad = std::move(*missing);
    auto paused = pause_in(directory);
    if (!paused)
      return paused.error();
    result.paused = std::move(*paused);
  }
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

std::string unpause_call(const fs::path& directory, const std::vector<trial_id>& trials) {
  auto result = program_call("unpause") + " " + experiment_words(directory.string());
  for (auto id : trials)
    result += " " + to_text(id);
  return result;
}

} // namespace tune
