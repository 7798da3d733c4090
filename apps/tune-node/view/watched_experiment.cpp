// SPDX-License-Identifier: BSD-3-Clause
#include "view/watched_experiment.hpp"

#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "tune/io/control/control_client.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/spec/wanted_configurations.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "view/fields.hpp"
#include "view/parameters.hpp"

#include <algorithm>

namespace tune::cli {

namespace {

/// Rows of one transaction: short enough to let commits through where readers block them.
constexpr std::size_t rows_at_once = 5'000;

/// Longest wait for another process's lock.
constexpr std::chrono::milliseconds lock_patience{2'000};

/// How long a living head's answer is good for, and the longest wait for it.
constexpr std::chrono::seconds live_for{1};
constexpr std::chrono::seconds live_patience{1};

expected<std::shared_ptr<const recorded_start>> start_in(store_reader& from,
                                                         const std::filesystem::path& directory) {
  auto opened = from.opening();
  if (!opened)
    return opened.error();
  if (!*opened)
    return error{ec::unreachable,
                 printable(directory.string())
                     + ": its experiment has not begun yet; look again in a moment"};
  auto what = spec_from_json((*opened)->spec);
  if (!what || what->experiment.objectives.empty())
    return error{ec::storage,
                 printable(directory.string()) + ": the configuration in its database: "
                     + (what ? "it names no metric" : printable(to_text(what.error())))};
  auto result = std::make_shared<recorded_start>();
  result->by = {what->experiment.objectives, what->experiment.constraints, repeat_rule_of(*what)};
  result->seed = (*opened)->seed;
  result->wanted = wanted_configurations(*what);
  result->parameters = parameters_value(*what);
  result->shown = shown_spec(*what);
  result->what = std::move(*what);
  return std::shared_ptr<const recorded_start>{std::move(result)};
}

/// Looks automatic metrics of best and last reports up in the reports themselves. The scan that
/// asks for it uses another connection.
trial_table::automatic automatic_from(store_reader& from) {
  return [&from](const raw_trial& x, const column_name& which) {
    const auto of_last = which.what == column_name::kind::last;
    const auto iteration = of_last ? x.iterations : x.best_iteration;
    const auto metrics = of_last ? x.metrics : x.best_metrics;
    if (which.name == "training_iteration")
      return std::optional{static_cast<double>(iteration)};
    if (which.name == "time_total_s" && of_last)
      return std::optional{seconds_of(x.time_total)};
    std::optional<double> result;
    auto found = from.scan_results_of(x.trial, [&](const raw_result& row) {
      if ((of_last || !result) && row.iteration == iteration && row.metrics == metrics)
        result = metric_in(row, which.name);
    });
    return found ? result : std::nullopt;
  };
}

/// May be asked while results are scanned.
result_track::lineage_source lineages_in(store_reader& from) {
  return [&from](trial_id trial, attempt_id which) {
    const auto all = from.attempts(trial);
    for (const auto& x : all ? *all : std::vector<attempt_row>{}) {
      if (x.attempt == which)
        return std::optional{x.lineage};
    }
    return std::optional<lineage_id>{};
  };
}

} // namespace

expected<watched_experiment::reader_ptr> watched_experiment::borrow() {
  auto file = identity_of(database_file(directory_));
  {
    std::lock_guard lock{pool_guard_};
    if (!file || file != file_) {
      idle_.clear();
      file_ = file;
      ++generation_;
    }
    if (!idle_.empty()) {
      auto result = std::move(idle_.back());
      idle_.pop_back();
      return result;
    }
  }
  auto opened = store_reader::open(directory_);
  if (!opened)
    return reading_failed(opened.error());
  opened->heed_locks_for(lock_patience);
  return std::make_unique<store_reader>(std::move(*opened));
}

void watched_experiment::give_back(reader_ptr x) {
  std::lock_guard lock{pool_guard_};
  if (idle_.size() < most_idle && file_ == identity_of(database_file(directory_)))
    idle_.push_back(std::move(x));
}

std::uint64_t watched_experiment::generation() {
  std::lock_guard lock{pool_guard_};
  return generation_;
}

bool watched_experiment::has(const head_facts& head, const looking_for& what,
                             std::uint64_t generation) const {
  const auto& known = summary_.head;
  return summary_.start != nullptr && generation == of_generation_
         && head.created_ms == known.created_ms && head.last_seq == known.last_seq
         && head.opened_seq == known.opened_seq && head.status == known.status
         && (summary_.track || !what.track) && (summary_.trained || !what.trained)
         && std::all_of(what.columns.begin(), what.columns.end(), [this](const column_name& x) {
              return summary_.trials.find(x) != nullptr;
            });
}

expected<seen_experiment> watched_experiment::look(const looking_for& what) {
  auto reader = borrow();
  if (!reader)
    return reader.error();
  const auto generation = this->generation();
  auto head = (*reader)->head();
  if (!head)
    return reading_failed(head.error());
  std::shared_lock reading{guard_};
  if (!has(*head, what, generation)) {
    reading.unlock();
    {
      std::unique_lock writing{guard_};
      if (auto done = catch_up(**reader, what, generation); !done) {
        // What was half read is read again from the beginning.
        summary_ = {};
        return done.error().code == ec::timeout ? done.error() : reading_failed(done.error());
      }
    }
    reading.lock();
  }
  give_back(std::move(*reader));
  if (summary_.start == nullptr)
    return error{ec::timeout, printable(directory_.string()) + ": is being read again"};
  return seen_experiment{std::move(reading), summary_};
}

expected<void> watched_experiment::begin_if_new(store_reader& from, const head_facts& head,
                                                std::uint64_t generation) {
  auto& known = summary_.head;
  const auto is_other = summary_.start == nullptr || generation != of_generation_
                        || head.created_ms != known.created_ms || head.last_seq < known.last_seq
                        || head.opened_seq != known.opened_seq;
  if (!is_other)
    return {};
  auto start = start_in(from, directory_);
  if (!start)
    return start.error();
  const auto wants_track = summary_.track.has_value();
  const auto wants_trained = summary_.trained.has_value();
  summary_ = {};
  summary_.start = std::move(*start);
  summary_.trials = trial_table{summary_.start->by};
  if (wants_track)
    summary_.track.emplace(summary_.start->by);
  if (wants_trained)
    summary_.trained.emplace();
  of_generation_ = generation;
  return {};
}

/// Reads what the tracks that are asked for only now missed.
expected<void> watched_experiment::begin_tracks(store_reader& from, const looking_for& what) {
  const auto begins_track = what.track && !summary_.track;
  const auto begins_trained = what.trained && !summary_.trained;
  if (!begins_track && !begins_trained)
    return {};
  if (begins_track)
    summary_.track.emplace(summary_.start->by);
  if (begins_trained)
    summary_.trained.emplace();
  auto read = read_results(from, 0, summary_.head.last_seq, [&](const raw_result& x) {
    if (begins_track)
      summary_.track->read(x, lineages_in(from));
    if (begins_trained)
      summary_.trained->read(x, origins_in(from));
  });
  if (!read)
    return read.error();
  return {};
}

bool watched_experiment::begin_columns(const looking_for& what) {
  auto& trials = summary_.trials;
  std::vector<column_name> missing;
  for (const auto& x : what.columns) {
    if (trials.find(x) == nullptr)
      missing.push_back(x);
  }
  if (trials.column_count() + missing.size() > trial_table::most_columns) {
    trials.drop_columns();
    summary_.joined.clear();
    missing = what.columns;
  }
  for (const auto& x : missing)
    trials.begin(x);
  return std::any_of(missing.begin(), missing.end(),
                     [](const column_name& x) { return !x.is_joined(); });
}

/// Reads what the joined columns that were begun just now missed. @returns whether there are any.
expected<bool> watched_experiment::begin_joined(store_reader& from) {
  std::vector<joined_metric*> made;
  for (const auto& name : summary_.trials.columns()) {
    if (name.is_joined() && !summary_.joined.contains(name))
      made.push_back(&summary_.joined.emplace(name, joined_metric{name}).first->second);
  }
  if (made.empty())
    return false;
  auto read = read_results(from, 0, summary_.head.last_seq, [&](const raw_result& x) {
    for (auto* each : made)
      each->read(x);
  });
  if (!read)
    return read.error();
  return true;
}

/// Writes the joined columns anew. @param which Null: of all trials.
void watched_experiment::show_joined(const std::vector<trial_id>* which) {
  auto& trials = summary_.trials;
  for (const auto& [name, each] : summary_.joined) {
    if (which == nullptr) {
      for (std::size_t i = 0; i < trials.size(); ++i)
        trials.set_joined(name, i, each.of(trials.lines()[i].trial));
      continue;
    }
    for (auto trial : *which) {
      if (const auto place = trials.place_of(trial))
        trials.set_joined(name, *place, each.of(trial));
    }
  }
}

expected<void> watched_experiment::read_all(store_reader& from, trial_id first, sequence at) {
  auto second = borrow();
  if (!second)
    return second.error();
  const auto look_up = automatic_from(**second);
  for (;;) {
    auto found = from.scan_trials(first, rows_at_once, [&](const raw_trial& x) {
      summary_.trials.read(x, at, look_up);
      first = {x.trial.number + 1};
    });
    if (!found)
      return found.error();
    if (*found < rows_at_once)
      break;
  }
  give_back(std::move(*second));
  return {};
}

void watched_experiment::see_result(store_reader& from, const raw_result& x) {
  if (summary_.track)
    summary_.track->read(x, lineages_in(from));
  if (summary_.trained)
    summary_.trained->read(x, origins_in(from));
  for (auto& [name, each] : summary_.joined)
    each.read(x);
}

expected<std::vector<trial_id>>
watched_experiment::read_results(store_reader& from, sequence after, sequence until,
                                 const std::function<void(const raw_result&)>& see) {
  std::vector<trial_id> result;
  for (auto is_done = false; !is_done && after < until;) {
    auto found = from.scan_results(after, rows_at_once, [&](const raw_result& x) {
      if (x.seq > until)
        return;
      after = x.seq;
      result.push_back(x.trial);
      see(x);
    });
    if (!found)
      return found.error();
    is_done = *found < rows_at_once;
  }
  return result;
}

expected<void> watched_experiment::read_changed(store_reader& from, const head_facts& head,
                                                std::vector<trial_id> which) {
  const auto& lines = summary_.trials.lines();
  const trial_id next{lines.empty() ? 0 : lines.back().trial.number + 1};
  std::sort(which.begin(), which.end());
  which.erase(std::unique(which.begin(), which.end()), which.end());
  // Those that are new are read below.
  which.erase(std::lower_bound(which.begin(), which.end(), next), which.end());
  auto second = borrow();
  if (!second)
    return second.error();
  const auto look_up = automatic_from(**second);
  auto read = from.scan_trials(
      which, [&](const raw_trial& x) { summary_.trials.read(x, head.last_seq, look_up); });
  if (!read)
    return read;
  give_back(std::move(*second));
  return read_all(from, next, head.last_seq);
}

expected<void> watched_experiment::catch_up(store_reader& from, const looking_for& what,
                                            std::uint64_t generation) {
  auto head = from.head();
  if (!head)
    return head.error();
  if (auto begun = begin_if_new(from, *head, generation); !begun)
    return begun;
  auto& known = summary_.head;
  const auto is_first = known.created_ms == 0 && known.last_seq == 0;
  auto reads_all = begin_columns(what) || is_first || head->status != known.status;
  std::vector<trial_id> changed;
  if (auto begun = begin_tracks(from, what); !begun)
    return begun;
  const auto joins_more = begin_joined(from);
  if (!joins_more)
    return joins_more.error();
  if (!is_first || summary_.track || summary_.trained || !summary_.joined.empty()) {
    auto reported = read_results(from, known.last_seq, head->last_seq,
                                 [&](const raw_result& x) { see_result(from, x); });
    if (!reported)
      return reported.error();
    if (!reported->empty())
      summary_.kinds["reported"] += reported->size();
    changed = std::move(*reported);
  }
  if (!is_first) {
    auto touched = from.touched_between(known.last_seq, head->last_seq);
    if (!touched)
      return touched.error();
    reads_all = reads_all || touched->all;
    for (const auto& [kind, count] : touched->kinds)
      summary_.kinds[kind] += count;
    changed.insert(changed.end(), touched->which.begin(), touched->which.end());
  }
  const auto shows_all = reads_all || *joins_more;
  auto read = reads_all ? read_all(from, {0}, head->last_seq) : read_changed(from, *head, changed);
  if (read) {
    show_joined(shows_all ? nullptr : &changed);
    summary_.head = std::move(*head);
  }
  kept_ = summary_.trials.size();
  added_ = summary_.trials.made().added;
  return read;
}

/// @pre `nodes_guard_` is held.
expected<void> watched_experiment::follow_nodes() {
  return with_reader([this](store_reader& from) -> expected<void> {
    if (const auto now = generation(); now != nodes_generation_) {
      nodes_ = {};
      retries_ = {};
      nodes_generation_ = now;
    }
    for (auto more = true; more;) {
      auto found = from.scan_events(nodes_.last(), rows_at_once, [this](const raw_event& x) {
        nodes_.read(x);
        retries_.read(x);
      });
      if (!found)
        return found.error();
      more = *found == rows_at_once;
    }
    return {};
  });
}

expected<std::vector<node_track::absence>> watched_experiment::absences() {
  std::lock_guard lock{nodes_guard_};
  if (auto read = follow_nodes(); !read)
    return read.error();
  return nodes_.absences();
}

expected<std::map<trial_id, node_track::placement>> watched_experiment::placements() {
  std::lock_guard lock{nodes_guard_};
  if (auto read = follow_nodes(); !read)
    return read.error();
  return nodes_.placements();
}

expected<retry_map> watched_experiment::retries() {
  std::lock_guard lock{nodes_guard_};
  if (auto read = follow_nodes(); !read)
    return read.error();
  return retries_.all();
}

live_facts watched_experiment::live() {
  std::lock_guard lock{live_guard_};
  const auto now = std::chrono::steady_clock::now();
  const auto added = added_.load();
  if (asked_ != std::chrono::steady_clock::time_point{} && now - asked_ < live_for
      && added == added_then_)
    return live_;
  added_then_ = added;
  live_ = {};
  live_.live = is_led(directory_);
  if (live_.live) {
    if (auto answer = ask_control(directory_, {}, live_patience))
      live_.status = std::move(answer->status);
  }
  asked_ = std::chrono::steady_clock::now();
  return live_;
}

} // namespace tune::cli
