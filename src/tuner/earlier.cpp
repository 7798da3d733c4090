// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/earlier.hpp"

#include "tune/core/search/fidelity/courses.hpp"
#include "tune/core/search/transfer/source.hpp"
#include "tune/io/external/searcher_process.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/best_trials.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr auto nowhere = std::numeric_limits<double>::quiet_NaN();
constexpr auto all_of_them = std::numeric_limits<std::size_t>::max();
/// Most trials of which all reports are read, if these are needed; the longest ones are chosen.
constexpr std::size_t most_courses = 1000;

/// Reads one experiment on behalf of another one.
class reading {
public:
  reading(const spec& wanted, std::string name) : wanted_{wanted}, name_{std::move(name)} {}

  expected<earlier_experiment> read(const fs::path& directory) {
    auto reader = store_reader::open(directory);
    if (!reader)
      return refusal(reader.error().detail);
    auto row = reader->experiment();
    if (!row)
      return refusal(row.error().detail);
    auto there = spec_from_json(row->spec);
    if (!there)
      return refusal("its configuration cannot be read: " + there.error().detail);
    auto trials = repeat_rule_of(*there).is_on() ? read_runs(*reader, *there)
                                                 : read_trials(*reader, *there);
    if (!trials)
      return refusal(trials.error().detail);
    if (std::none_of(trials->begin(), trials->end(),
                     [](const earlier_trial& x) { return std::isfinite(x.value); }))
      return refusal("no trial there that ended has reported a number for " + aim().metric);
    return earlier_experiment{name_, std::move(*trials)};
  }

  [[nodiscard]] error refusal(const std::string& why) const {
    return {ec::bad_option, "[search] learn_from = " + name_ + ": " + why};
  }

private:
  const spec& wanted_;
  std::string name_;

  [[nodiscard]] const objective& aim() const { return wanted_.experiment.objectives.front(); }
  [[nodiscard]] double score_of(double x) const { return aim().maximise ? x : -x; }

  [[nodiscard]] std::optional<double> score_of(const std::optional<object>& metrics) const {
    const auto* found = metrics ? find_path(*metrics, aim().metric) : nullptr;
    auto number = found == nullptr ? std::nullopt : found->number();
    return number && std::isfinite(*number) ? std::optional{score_of(*number)} : std::nullopt;
  }

  /// The constraints whose values are known for any trial there.
  [[nodiscard]] constraint_list known_constraints(const std::vector<trial_row>& rows) const {
    auto result = wanted_.experiment.constraints;
    std::erase_if(result, [&](const metric_comparison& x) {
      return std::none_of(rows.begin(), rows.end(), [&](const trial_row& row) {
        return row.metrics && std::isfinite(violations_of({x}, *row.metrics).front());
      });
    });
    return result;
  }

  expected<std::vector<earlier_trial>> read_trials(store_reader& from, const spec& there) const {
    trial_query all;
    all.limit = all_of_them;
    auto rows = from.trials(all);
    if (!rows)
      return rows.error();
    std::erase_if(*rows, [](const trial_row& x) {
      return !is_final(x.status) && x.status != trial_status::paused;
    });
    auto finals = final_scores(from, there, *rows);
    if (!finals)
      return finals.error();
    auto limits = known_constraints(*rows);
    std::vector<earlier_trial> result;
    for (const auto& x : *rows) {
      auto score = finals->find(x.trial);
      auto failed = x.status == trial_status::errored;
      if (!failed && score == finals->end())
        continue;
      // A value belongs to the configuration that it was reported with, a failure to the present.
      auto& made = result.emplace_back(
          failed ? earlier_trial{x.trial, x.config, nowhere, {}}
                 : earlier_trial{x.trial, x.last_config.value_or(x.config), score->second, {}});
      if (x.metrics && !(failed && x.last_config))
        made.constraints = violations_of(limits, *x.metrics);
    }
    return result;
  }

  /// Scores of the trials that did not fail.
  expected<std::map<trial_id, double>> final_scores(store_reader& from, const spec& there,
                                                    const std::vector<trial_row>& rows) const {
    std::map<trial_id, double> result;
    std::uint64_t longest = 0;
    for (const auto& x : rows)
      longest = std::max(longest, x.iterations);
    std::vector<const trial_row*> short_ones;
    for (const auto& x : rows) {
      if (x.status == trial_status::errored)
        continue;
      auto score = score_of(x.metrics);
      if (score)
        result.emplace(x.trial, *score);
      else if (x.status == trial_status::terminated)
        result.emplace(x.trial, nowhere);
      auto stopped = x.iterations < longest ? was_stopped(from, x) : expected<bool>{false};
      if (!stopped)
        return stopped.error();
      if (*stopped)
        short_ones.push_back(&x);
    }
    if (short_ones.empty())
      return result;
    auto estimates = estimated(from, there, rows);
    if (!estimates)
      return estimates.error();
    for (const auto* x : short_ones) {
      auto known = estimates->find(x->trial);
      if (known == estimates->end())
        result.erase(x->trial);
      else
        result.insert_or_assign(x->trial, known->second);
    }
    return result;
  }

  /// Whether a scheduler stopped or paused the trial before its own end.
  static expected<bool> was_stopped(store_reader& from, const trial_row& x) {
    if (x.status == trial_status::paused)
      return true;
    auto decisions = from.decisions(x.trial);
    if (!decisions)
      return decisions.error();
    // Stop conditions decide, too, but what they end is complete.
    return std::any_of(decisions->begin(), decisions->end(), [](const decision_row& y) {
      const auto* rule = y.reason.find("rule");
      return y.action == "stop" && (rule == nullptr || *rule != value{"stop"});
    });
  }

  /// Estimated final scores of the trials that trained longest. Empty if their space has no
  /// coordinates.
  expected<std::map<trial_id, double>> estimated(store_reader& from, const spec& there,
                                                 std::vector<trial_row> rows) const {
    std::map<trial_id, double> result;
    auto lines = search_space::parse(space_lines(there));
    if (!lines)
      return result;
    auto space = encoding::make(std::make_shared<const search_space>(std::move(*lines)), "");
    if (!space)
      return result;
    auto shared = std::make_shared<const encoding>(std::move(*space));
    std::stable_sort(rows.begin(), rows.end(), [](const trial_row& x, const trial_row& y) {
      return x.iterations > y.iterations;
    });
    rows.resize(std::min(rows.size(), most_courses));
    fidelity::course_book book{shared};
    for (const auto& x : rows) {
      if (auto read = follow(from, x, book); !read)
        return read.error();
    }
    auto estimates = fidelity::extrapolated(*shared, book.courses());
    auto next = estimates.begin();
    for (const auto& [id, course] : book.courses()) {
      if (!std::isnan(next->value))
        result.emplace(id, -next->value);
      ++next;
    }
    return result;
  }

  /// Adds a trial's reports to the book.
  expected<void> follow(store_reader& from, const trial_row& x, fidelity::course_book& book) const {
    auto reports = from.results(x.trial, 0, all_of_them);
    if (!reports)
      return reports.error();
    auto present = std::make_shared<const object>(x.config);
    for (const auto& each : *reports) {
      auto score = metric_number(*each.what, aim().metric);
      // It may have taken another trial's place, or begun anew, and not reported since.
      if (!score || each.lineage != reports->back().lineage)
        continue;
      observation told;
      told.trial = x.trial;
      told.config = each.config ? each.config : present;
      told.lineage = each.lineage;
      told.fidelity = each.what->iteration;
      told.values = {score_of(*score)};
      book.apply({0, std::move(told)});
    }
    return {};
  }

  /// Trials of an experiment whose configurations ran several times: one for each configuration.
  expected<std::vector<earlier_trial>> read_runs(store_reader& from, const spec& there) const {
    auto book = runs_of(from, {aim(), {}, repeat_rule_of(there)});
    if (!book)
      return book.error();
    std::vector<earlier_trial> result;
    for (const auto& group : book->ranked(all_of_them)) {
      auto row = from.trial(group.best);
      if (!row)
        return row.error();
      if (!*row || !group.is_full)
        continue;
      const auto& config = (*row)->best_config ? *(*row)->best_config : (*row)->config;
      auto& made = result.emplace_back(earlier_trial{group.best, config, group.how.score, {}});
      if ((*row)->metrics)
        made.constraints = violations_of(known_constraints({**row}), *(*row)->metrics);
    }
    std::sort(result.begin(), result.end(),
              [](const earlier_trial& x, const earlier_trial& y) { return x.trial < y.trial; });
    return result;
  }
};

/// Adds lines for people about configurations that were left out.
void note(const transfer::adaptation& made, std::vector<std::string>& notes) {
  auto say = [&](std::size_t count, const std::string& why) {
    const auto one = count == 1;
    if (count > 0)
      notes.push_back("[search] learn_from: " + std::to_string(count) + " configuration"
                      + (one ? "" : "s") + " of " + made.what.name + (one ? " is" : " are")
                      + " left out: " + why);
  };
  say(made.outside,
      made.outside == 1 ? "it lies outside of [space]" : "they lie outside of [space]");
  say(made.elsewhere, "a parameter that is fixed in [space] had another value");
}

} // namespace

fs::path named_experiment(const std::string& name, const fs::path& caller) {
  auto result = (caller / name).lexically_normal();
  std::error_code ignored;
  if (result.filename() == "experiment.db" && fs::is_regular_file(result, ignored))
    return result.parent_path();
  return result;
}

expected<std::vector<earlier_experiment>>
earlier_from(const loaded_spec& from, const fs::path& caller, std::vector<std::string>& notes) {
  std::vector<earlier_experiment> result;
  const auto& what = from.what;
  if (what.search.learn_from.empty())
    return result;
  auto names = source_names(what.search.learn_from, what.ini_dir);
  if (!names)
    return error{ec::bad_option, "[search] learn_from: " + names.error().detail};
  auto space = encoding::make(searcher_context_of(what, from.space).space, what.search.type);
  if (!space)
    return space.error();
  for (const auto& name : *names) {
    reading one{what, name};
    auto read = one.read(named_experiment(name, caller));
    if (!read)
      return read.error();
    auto made = transfer::adapted(*space, std::move(*read), transfer::share_of_each(names->size()));
    if (made.what.trials.empty())
      return one.refusal("all of its trials lie outside of [space]");
    if (!made.overlaps)
      return one.refusal("none of the parameters that vary in [space] is known there");
    note(made, notes);
    result.push_back(std::move(made.what));
  }
  return result;
}

} // namespace tune
