// SPDX-License-Identifier: BSD-3-Clause
#include "view/overview.hpp"

#include "console/human.hpp"
#include "console/later_failure.hpp"
#include "console/run_snapshot.hpp"
#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "inspect/story_json.hpp"
#include "tune/core/experiment/planned_trials.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/store/best_checkpoint.hpp"
#include "tune/tuner/rule_parts.hpp"
#include "view/fields.hpp"
#include "view/judged_runs.hpp"
#include "view/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tune::cli {

namespace {

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

/// The names of the metrics in the newest reports of some trials.
std::vector<std::string> metric_names(const std::vector<trial_row>& some) {
  constexpr std::size_t most = 200;
  std::vector<std::string> result;
  std::set<std::string> known;
  auto add = [&](const std::optional<object>& from) {
    if (!from)
      return;
    // Of nested objects the paths, as everywhere.
    std::vector<std::pair<std::string, const object*>> open{{"", &*from}};
    while (!open.empty()) {
      auto [prefix, where] = open.back();
      open.pop_back();
      for (const auto& [name, each] : *where) {
        if (const auto* inner = each.as_object())
          open.emplace_back(prefix + name + "/", inner);
        else if (each.number() && result.size() < most && known.insert(prefix + name).second)
          result.push_back(prefix + name);
      }
    }
  };
  for (const auto& x : some)
    add(x.metrics);
  return result;
}

/// What its head says, or else the record: also where clients have added trials since it said so.
std::optional<std::uint64_t> planned_of(const experiment_summary& seen, const live_facts& live) {
  if (live.status && live.status->planned.value_or(no_limit) >= seen.trials.made().all())
    return live.status->planned;
  const auto& what = seen.start->what;
  const auto repeats = repeat_rule_of(what);
  const auto& wanted = seen.start->wanted;
  const auto samples = !wanted           ? settings_by(what).expected_samples
                       : wanted->at_most ? 0
                                         : wanted->configurations * repeats.runs;
  return planned_trials(samples, repeats, seen.trials.made(),
                        seen.head.status == to_text(experiment_status::done));
}

run_snapshot snapshot_for_times(const experiment_summary& seen, const live_facts& live) {
  run_snapshot result;
  result.counts = seen.trials.counts();
  result.elapsed = seen.head.elapsed;
  result.time_limit = seen.start->what.experiment.time_limit;
  result.planned = planned_of(seen, live);
  return result;
}

value objectives_value(const std::vector<objective>& all) {
  value::list result;
  for (const auto& x : all)
    result.emplace_back(object{{"metric", x.metric}, {"mode", x.maximise ? "max" : "min"}});
  return result;
}

object begin_overview(const experiment_summary& seen, const std::string& name,
                      const live_facts& live, value best) {
  const auto& what = seen.start->what;
  const auto& first = what.experiment.objectives.front();
  object result;
  result.set("name", name);
  result.set("status", shown_status(seen.head, what, live.live));
  result.set("why", seen.head.why);
  result.set("live", live.live);
  result.set("created_ms", seen.head.created_ms);
  // The record knows the time of its last event alone.
  result.set("elapsed_s", seconds_of(live.status ? std::max(live.status->elapsed, seen.head.elapsed)
                                                 : seen.head.elapsed));
  result.set("trials", counts_object(seen.trials));
  const auto planned = planned_of(seen, live);
  result.set("planned", planned ? number_value(*planned) : value{});
  result.set("metric", first.metric);
  result.set("mode", first.maximise ? "max" : "min");
  result.set("best", std::move(best));
  result.set("spark", spark_line(seen.trials));
  return result;
}

value::list texts(const std::vector<std::string>& all) {
  return {all.begin(), all.end()};
}

value nodes_value(const std::vector<node_row>& all, const live_facts& live) {
  const auto leaving = leaving_nodes(live);
  value::list result;
  for (const auto& x : all)
    result.emplace_back(node_object(x, leaving));
  return result;
}

/// In one sentence: how far it is, and what is best.
std::string summary_text(const experiment_summary& seen, const value& best) {
  const auto counts = seen.trials.counts();
  auto of = [&](trial_status x) { return counts[static_cast<std::size_t>(x)]; };
  const auto ended = of(trial_status::terminated) + of(trial_status::errored);
  auto result = counted(ended, "trial") + (ended == 1 ? " has" : " have") + " ended";
  if (of(trial_status::errored) > 0)
    result += ", " + std::to_string(of(trial_status::errored)) + " of them with an error";
  const auto* found = best.as_object();
  if (found == nullptr)
    return result + "; none has a result yet.";
  const auto* trial = found->find("trial_id");
  return result + "; the best " + seen.start->by.objectives.front().metric + " is "
         + short_text(*found->find("value")) + ", of trial " + to_text(*trial)
         + std::string{later_failure(to_text(*found->find("status")))} + ".";
}

void add_rules(object& to, const experiment_summary& seen) {
  const auto& what = seen.start->what;
  to.set("epoch", number_value(seen.head.epoch));
  to.set("seed", number_value(seen.start->seed));
  to.set("last_seq", number_value(seen.head.last_seq));
  to.set("spec", seen.start->shown);
  to.set("objectives", objectives_value(what.experiment.objectives));
  to.set("constraints", to_text(what.experiment.constraints));
  to.set("repeats", what.search.repeat > 1 || what.experiment.confirm > 0);
  to.set("search", object{{"type", what.search.type}});
  to.set("parameters", seen.start->parameters);
}

void add_live(object& to, const experiment_summary& seen, const live_facts& live) {
  const auto& type = seen.start->what.scheduler.type;
  object scheduler{{"type", type.empty() ? "fifo" : type}};
  object used;
  const auto* now = live.status ? &*live.status : nullptr;
  scheduler.set("line", now == nullptr ? "" : now->scheduler);
  to.set("scheduler", std::move(scheduler));
  to.set("waits_for", now == nullptr || now->waits_for.empty() ? value{} : value{now->waits_for});
  to.set("allocation",
         now == nullptr || now->allocation.empty() ? value{} : value{now->allocation});
  to.set("paused", now != nullptr && now->suspended);
  to.set("held", now == nullptr ? value{} : number_value(now->held));
  to.set("resources", now == nullptr ? value{}
                                     : value{object{{"total", resources_value(now->total)},
                                                    {"used", resources_value(now->used)}}});
}

} // namespace

value resources_value(const resources& x) {
  object custom;
  for (const auto& [name, each] : x.custom)
    custom.set(name, each.number());
  return object{{"cpu", x.cpu.number()},
                {"gpu", x.gpu.number()},
                {"memory", number_value(x.memory)},
                {"custom", std::move(custom)}};
}

std::string_view state_of_node(const node_row& x, const std::vector<std::string>& leaving) {
  if (!x.up)
    return "down";
  return std::find(leaving.begin(), leaving.end(), x.node) == leaving.end() ? "up" : "leaving";
}

std::vector<std::string> leaving_nodes(const live_facts& live) {
  return live.status ? live.status->leaving : std::vector<std::string>{};
}

object node_object(const node_row& x, const std::vector<std::string>& leaving) {
  return {{"node", x.node},
          {"state", std::string{state_of_node(x, leaving)}},
          {"capacity", resources_value(x.capacity)},
          {"since", seconds_of(x.since)},
          {"why", x.why},
          {"labels", texts(x.labels)},
          {"taints", texts(x.taints)}};
}

std::string shown_status(const head_facts& head, const spec& what, bool live) {
  return head.status == "running" && !live ? unled_state(is_asked(what)) : head.status;
}

value::list spark_line(const trial_table& trials, std::size_t most) {
  const auto values = best_after_each(trials);
  value::list result;
  for (auto place : spread_places(values.size(), most))
    result.emplace_back(values[place]);
  return result;
}

object counts_object(const trial_table& trials) {
  const auto counts = trials.counts();
  constexpr const char* names[] = {"pending", "running", "paused", "terminated", "errored"};
  object result;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    result.set(names[i], number_value(counts[i]));
    total += counts[i];
  }
  result.set("total", number_value(total));
  result.set("withdrawn", number_value(trials.withdrawn()));
  return result;
}

namespace {

/// The first objective of a trial's best report. Whole numbers beyond 2^53, which are no doubles,
/// come from the record itself, as texts.
expected<value> exact_best(watched_experiment& from, const experiment_summary& seen,
                           std::size_t place) {
  const auto known = seen.trials.objective(place, 0);
  if (std::abs(known) < largest_exact || std::isnan(known))
    return value{known};
  auto row = from.with_reader(
      [&](store_reader& x) { return x.trial(seen.trials.lines()[place].trial); });
  if (!row)
    return row.error();
  const auto* metrics = *row && (*row)->best_metrics ? &*(*row)->best_metrics : nullptr;
  const auto* found = metrics == nullptr
                          ? nullptr
                          : find_path(*metrics, seen.start->by.objectives.front().metric);
  const auto* whole = found == nullptr ? nullptr : found->as_int();
  return whole == nullptr ? value{known} : value{std::to_string(*whole)};
}

} // namespace

expected<value> best_value_of(watched_experiment& from, const experiment_summary& seen) {
  const auto& by = seen.start->by;
  std::optional<std::size_t> place;
  value runs;
  if (!by.repeats.is_on()) {
    place = seen.trials.best();
  } else if (const auto group = seen.trials.runs().best()) {
    place = seen.trials.place_of(group->best);
    runs = to_object(statistics_of(seen.trials.runs(), *group, by.objectives.front().maximise));
  }
  if (!place)
    return value{};
  const auto& line = seen.trials.lines()[*place];
  auto exact = exact_best(from, seen, *place);
  if (!exact)
    return exact.error();
  return value{object{{"trial", number_value(line.trial.number)},
                      {"trial_id", to_text(line.trial)},
                      {"value", std::move(*exact)},
                      {"iteration", number_value(line.best_iteration)},
                      {"status", to_text(line.status)},
                      {"violation", line.how.violation},
                      {"runs", std::move(runs)}}};
}

namespace {

/// Adds the best trial to some of the newest, none of which may have reported yet, and to the best
/// its checkpoint.
expected<void> add_best_row(watched_experiment& from, const comparing_rules& by, value& best,
                            std::vector<trial_row>& to) {
  auto* fields = best.as_object();
  const auto* id = fields == nullptr ? nullptr : fields->find("trial_id");
  const auto trial = id == nullptr ? std::nullopt : trial_from(to_text(*id));
  if (!trial)
    return {};
  auto row = from.with_reader([&](store_reader& x) { return x.trial(*trial); });
  if (!row)
    return row.error();
  if (!*row)
    return {};
  auto saved = from.with_reader([&](store_reader& x) {
    return best_checkpoint(x, **row, by.objectives.front(), by.constraints);
  });
  if (!saved)
    return saved.error();
  fields->set("best_checkpoint", *saved ? value{to_object(**saved)} : value{});
  to.push_back(std::move(**row));
  return {};
}

/// What the head says; no older than the newest trials that clients have added. Nobody else waits
/// meanwhile: the summary is not held.
live_facts live_by_now(watched_experiment& from) {
  static_cast<void>(from.look());
  return from.live();
}

} // namespace

expected<object> short_overview(watched_experiment& from, const std::string& name) {
  const auto live = live_by_now(from);
  auto seen = from.look();
  if (!seen)
    return seen.error();
  auto best = best_value_of(from, **seen);
  if (!best)
    return best.error();
  return begin_overview(**seen, name, live, std::move(*best));
}

expected<object> overview(watched_experiment& from, const std::string& name) {
  const auto live = live_by_now(from);
  auto nodes = from.with_reader([](store_reader& x) { return x.nodes(); });
  auto some = from.with_reader([](store_reader& x) {
    trial_query newest;
    newest.descending = true;
    newest.by = trial_query::order::number;
    newest.limit = 20;
    return x.trials(newest);
  });
  if (!nodes || !some)
    return !nodes ? nodes.error() : some.error();
  auto seen = from.look();
  if (!seen)
    return seen.error();
  auto best = best_value_of(from, **seen);
  if (!best)
    return best.error();
  if (auto added = add_best_row(from, (*seen)->start->by, *best, *some); !added)
    return added.error();
  const auto text = summary_text(**seen, *best);
  auto result = begin_overview(**seen, name, live, std::move(*best));
  add_rules(result, **seen);
  add_live(result, **seen, live);
  result.set("nodes", nodes_value(*nodes, live));
  value::list metrics;
  for (auto& x : metric_names(*some))
    metrics.emplace_back(std::move(x));
  result.set("metrics", std::move(metrics));
  result.set("summary_text", text);
  const auto is_paused = live.status && live.status->suspended;
  const auto left
      = live.live && !is_paused ? time_left(snapshot_for_times(**seen, live)) : std::nullopt;
  result.set("eta_s", left ? value{seconds_of(*left)} : value{});
  return result;
}

} // namespace tune::cli
