// SPDX-License-Identifier: BSD-3-Clause
#include "loading.hpp"

#include "tune/core/space/idle_comparison.hpp"
#include "tune/core/space/unreached_bounds.hpp"
#include "tune/core/stop/metric_condition.hpp"
#include "tune/core/stop/stopper.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/keys.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace tune {

namespace {

void check_experiment(loading& x) {
  auto& to = x.what.experiment;
  if (to.name.empty())
    to.name = std::filesystem::path{x.file}.stem().string();
  if (to.name.empty() || to.name == "." || to.name == "..")
    x.refuse("experiment", "name", "name is missing, and the file's name gives none");
  if (to.objectives.empty() && x.find("experiment", "metric") == nullptr)
    x.refuse_missing("experiment", "metric",
                     "metric is missing: say what to optimise, such as metric = accuracy");
  if (to.storage.empty())
    x.refuse("experiment", "storage", "storage is empty: it must be a directory");
  if (to.storage.find("://") != to.storage.npos)
    x.refuse("experiment", "storage",
             "storage = " + to.storage
                 + " is an address, where a directory has to be; [sinks] s3 = "
                 + (to.storage.starts_with("s3://") ? to.storage : "s3://BUCKET/PREFIX")
                 + " keeps a copy in an object store");
}

void check_resources(loading& x) {
  auto gpu = x.what.resources.gpu;
  if (gpu > 1 && gpu != std::floor(gpu))
    x.refuse("resources", "gpu",
             "gpu = " + to_text(value{gpu})
                 + ": above 1 it must be whole, since a trial gets whole devices");
}

void check_failure(loading& x) {
  auto& to = x.what.failure;
  for (auto* each : {&to.max_timeouts, &to.max_out_of_memory, &to.max_killed})
    *each = each->value_or(to.max_failures);
  if (to.most_backoff >= to.backoff)
    return;
  if (x.find("failure", "most_backoff") == nullptr)
    to.most_backoff = to.backoff;
  else
    x.refuse("failure", "most_backoff", "most_backoff: must be at least backoff");
}

void check_cluster(loading& x) {
  const auto& from = x.what.cluster.scaling;
  if (from.min > from.max)
    x.refuse("cluster", "scale_min",
             "scale_min = " + std::to_string(from.min) + ": must be 0 to scale_max, which is "
                 + std::to_string(from.max));
}

/// Checks that the direction of the score is known.
void check_checkpoint(loading& x) {
  const auto& from = x.what.checkpoint;
  if (from.score_attribute.empty() || from.score_order != score_direction::as_objective)
    return;
  const auto& known = x.what.experiment.objectives;
  if (std::none_of(known.begin(), known.end(),
                   [&](const auto& each) { return each.metric == from.score_attribute; }))
    x.refuse("checkpoint", "score_attribute",
             "score_attribute = " + from.score_attribute
                 + " is no objective: say by score_order = max or min which of its values are"
                   " better");
}

void check_search(loading& x) {
  if (x.what.search.batch && x.what.search.max_pending == 0)
    x.refuse("search", "batch",
             "batch = true: a batch has [search] max_pending configurations; say how many, 1 or "
             "more");
}

/// Warns of a run that nothing would ever end, which is seldom intended.
void warn_of_endless_run(loading& x) {
  const auto& to = x.what.experiment;
  auto ends_all = [](const named_text& line) {
    return line.name == "all_when" || line.name == "experiment_plateau";
  };
  if (to.num_samples == 0 && to.time_limit.count() == 0 && to.training_limit.count() == 0
      && std::none_of(x.what.stop.begin(), x.what.stop.end(), ends_all))
    x.warn(x.origin("experiment", "num_samples"),
           "[experiment] num_samples = 0 without time_limit, training_limit, all_when or "
           "experiment_plateau of [stop]: nothing ends the run but you");
}

/// Whether a line of `[search]` may have this name.
bool is_search_word(const loading& x, const std::string& name) {
  const auto& all = x.request.searchers.entries();
  const auto* key = find_key("search", name);
  return (key != nullptr && !key->is_family())
         || std::any_of(all.begin(), all.end(), [&](const auto& each) {
              return std::any_of(each.known.begin(), each.known.end(),
                                 [&](const option_spec& known) { return known.name == name; });
            });
}

/// Whether the configuration itself names such a metric.
bool is_told_metric(const spec& what, const std::string& name) {
  const auto& metrics = what.trainable.metrics;
  const auto& objectives = what.experiment.objectives;
  return std::any_of(metrics.begin(), metrics.end(),
                     [&](const named_text& each) { return each.name == name; })
         || std::any_of(objectives.begin(), objectives.end(),
                        [&](const objective& each) { return each.metric == name; });
}

/// Warns of search options in `[stop]`, where any other name is taken for a metric.
void warn_of_search_words_in_stop(loading& x) {
  for (const auto& line : x.what.stop) {
    const auto* own = find_key("stop", line.name);
    auto is_meant = (own != nullptr && !own->is_family()) || is_told_metric(x.what, line.name)
                    || x.request.stoppers.find(line.name) != nullptr;
    if (!is_meant && is_search_word(x, line.name))
      x.warn(x.origin("stop", line.name),
             "[stop] " + line.name + " = " + line.text
                 + " is taken for a metric of that name; the option is [search] " + line.name);
  }
}

/// Warns of `[stop] METRIC = n` where the metric is minimised: nearly any first report meets that.
void warn_of_limits_on_minimised(loading& x) {
  for (const auto& line : x.what.stop) {
    const auto& all = x.what.experiment.objectives;
    const auto is_minimised = std::any_of(all.begin(), all.end(), [&](const objective& each) {
      return each.metric == line.name && !each.maximise;
    });
    if (!is_minimised || x.request.stoppers.find(line.name) != nullptr)
      continue;
    const auto limit = parse_limit(line.name, line.text);
    if (!limit)
      continue;
    const auto name = line.name;
    using op = metric_comparison::op;
    x.warn(x.origin("stop", name),
           "[stop] " + name + " = " + line.text + " ends a trial once "
               + to_text(metric_comparison{name, op::at_least, *limit})
               + ", and the objective is minimised; to stop at a low value, write when = "
               + to_text(metric_comparison{name, op::at_most, *limit}));
  }
}

/// Warns if all trials are alike, which is seldom intended.
void warn_of_empty_space(loading& x) {
  if (x.what.space.empty() && x.whole)
    x.warn(x.origin("space", {}), "[space] has no parameters: all trials are alike");
}

/// Whether a domain has one value alone, however it is written.
bool has_one_value(const domain& what) {
  constexpr std::size_t most = 64;
  if (std::holds_alternative<constant>(what))
    return true;
  const auto all = all_values(what, most);
  return all && !all->empty() && std::all_of(all->begin(), all->end(), [&](const value& x) {
           return x == all->front();
         });
}

/// Warns likewise if the searcher has nothing to choose from.
void warn_of_constant_space(loading& x) {
  const auto all = x.space->parameters();
  auto is_fixed
      = [](const parameter& each) { return each.numbers_runs || has_one_value(each.what); };
  const auto& search = x.what.search;
  const auto has_points = !search.points.empty() || !search.points_from.empty();
  if (all.empty() || has_points || search.type == "none" || x.what.experiment.num_samples == 1
      || x.what.scheduler.type.starts_with("pb") || !std::all_of(all.begin(), all.end(), is_fixed))
    return;
  x.warn(x.origin("space", all.front().name),
         "[space] has nothing that varies: all trials are alike");
}

/// Warns of lists: a list is one value, but users who write a list of plain values usually mean a
/// choice.
void warn_of_lists(loading& x) {
  for (const auto& each : x.space->parameters()) {
    const auto* fixed = std::get_if<constant>(&each.what);
    const auto* items = fixed != nullptr ? fixed->what.as_list() : nullptr;
    if (items == nullptr || items->size() < 2)
      continue;
    const auto text = to_text(each.what);
    x.warn(x.origin("space", each.name),
           "[space] " + each.name + ": " + text
               + " is one value, the same in all trials; write choice("
               + text.substr(1, text.size() - 2) + ") to try each of its items, or choice(" + text
               + ") if the list is meant");
  }
}

/// Whether a distribution has this name. Without arguments it is valid, or lacks some.
bool names_distribution(const std::string& word) {
  auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (word.empty() || !std::all_of(word.begin(), word.end(), is_letter))
    return false;
  auto read = parse_domain(word + "()");
  return read || read.error().code == ec::bad_option;
}

/// Warns of a distribution's name without brackets, which is a constant text. Quotes around it say
/// that the text is meant.
void warn_of_bare_distributions(loading& x) {
  for (const auto& line : space_lines(x.what)) {
    const auto word = line.text.substr(0, line.text.find_first_of(" \t"));
    if (!names_distribution(word))
      continue;
    const auto& all = x.space->parameters();
    auto is_it = [&](const parameter& each) { return each.name == line.name; };
    const auto found = std::find_if(all.begin(), all.end(), is_it);
    if (found == all.end() || !std::holds_alternative<constant>(found->what))
      continue;
    x.warn(x.origin("space", line.name), "[space] " + line.name + ": " + word
                                             + " is one text, the same in all trials; write " + word
                                             + "(…) to draw from this distribution, or \"" + word
                                             + "\" if the text is meant");
  }
}

/// Warns of a mode that has no effect, since each metric says itself that it is not to go that way.
void warn_of_idle_mode(loading& x) {
  // A record has all keys.
  if (!x.request.is_record && x.find("experiment", "mode") != nullptr && has_idle_mode(x.what))
    x.warn(x.origin("experiment", "mode"), idle_mode_text(x.what));
}

/// Warns of conditions that are always true or false, which are usually mistakes.
void warn_of_idle_comparisons(loading& x) {
  constexpr std::size_t most_warnings = 10;
  auto found = idle_comparisons(*x.space);
  found.resize(std::min(found.size(), most_warnings));
  for (const auto& each : found)
    x.warn(x.origin("space", each.parameter),
           "[space] " + each.parameter + ": in its condition " + each.why);
}

/// Warns of ranges that can be empty: `randint(1, {layers})` has no value if there is one layer.
void warn_of_meeting_bounds(loading& x) {
  for (std::size_t i = 0; i < x.space->parameters().size(); ++i) {
    const auto& each = x.space->parameters()[i];
    const auto& where = x.space->where_bounds_meet(i);
    if (!where.empty())
      x.warn(x.origin("space", each.name),
             "[space] " + each.name + ": " + to_text(each.what)
                 + ", whose upper bound is excluded, "
                 + "is taken for its lower bound where both are equal, as where " + where);
  }
}

/// Warns of bounds that are never drawn since they are no multiples of the step.
void warn_of_unreached_bounds(loading& x) {
  for (const auto& each : x.space->parameters()) {
    if (auto why = unreached_bounds(each.what); !why.empty())
      x.warn(x.origin("space", each.name),
             "[space] " + each.name + ": " + to_text(each.what) + ": " + why);
  }
}

/// The text as written, if it does not come from a line of the file.
std::string written_text(const loading& x, const parameter_text& line) {
  const auto* entry = x.find("space", line.name);
  auto is_shown = entry == nullptr || entry->origin.from == config_origin::source::file;
  return is_shown ? std::string{} : ", in " + line.name + " = " + line.text;
}

/// Parses all of `[space]`, and after each fault again without the parameter that caused it, so
/// that one run shows several faults. @returns whether there were none; otherwise a parameter has a
/// substitute that is nobody's value.
bool parse_space(loading& x) {
  constexpr int most_attempts = 8;
  auto lines = space_lines(x.what);
  if (lines.size() > most_parameters) {
    x.refuse("space", lines[most_parameters].name,
             "\"" + lines[most_parameters].name + "\" is one too many: at most "
                 + std::to_string(most_parameters) + " parameters");
    return false;
  }
  std::set<std::string> blamed;
  for (int i = 0; i < most_attempts; ++i) {
    auto parsed = search_space::parse(lines);
    if (parsed) {
      x.space = std::make_shared<const search_space>(std::move(*parsed));
      return blamed.empty();
    }
    auto name = leading_name(parsed.error().detail);
    if (!blamed.insert(name).second)
      return false;
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const parameter_text& each) { return each.name == name; });
    x.refuse("space", name,
             parsed.error().detail + (line == lines.end() ? "" : written_text(x, *line)));
    if (line == lines.end())
      return false;
    line->text = "0";
  }
  return false;
}

} // namespace

void check_sections(loading& x) {
  check_experiment(x);
  check_resources(x);
  check_checkpoint(x);
  check_failure(x);
  check_cluster(x);
  check_search(x);
  warn_of_idle_mode(x);
  warn_of_search_words_in_stop(x);
  warn_of_limits_on_minimised(x);
  warn_of_endless_run(x);
}

void check_space(loading& x) {
  if (!check_repeats(x))
    return;
  auto is_whole = parse_space(x);
  warn_of_empty_space(x);
  if (is_whole) {
    warn_of_idle_comparisons(x);
    warn_of_constant_space(x);
    warn_of_lists(x);
    warn_of_bare_distributions(x);
    warn_of_meeting_bounds(x);
    warn_of_unreached_bounds(x);
    check_points(x);
    check_known(x);
  }
  auto stoppers = make_stoppers(stop_lines(x.what), x.request.stoppers, stopper_context_of(x.what));
  if (!stoppers)
    x.refuse("stop", leading_name(stoppers.error().detail), stoppers.error().detail);
}

} // namespace tune
