// SPDX-License-Identifier: BSD-3-Clause
#include "console/summary.hpp"

#include "console/human.hpp"
#include "console/later_failure.hpp"
#include "console/one_line.hpp"
#include "console/text.hpp"
#include "console/with_error.hpp"
#include "inspect/failures.hpp"
#include "tune/core/experiment/time_limits.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/space/object_parameters.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune::cli {
namespace {

/// Most columns of the reason, which may quote a program.
constexpr std::size_t longest_why = 500;

std::string ending_text(experiment_status x, bool has_trials_left, bool has_trained_enough) {
  switch (x) {
    case experiment_status::done:
      return "done";
    case experiment_status::time_limit:
      return has_trained_enough ? "stopped at the training limit" : "stopped at the time limit";
    case experiment_status::interrupted:
      return "interrupted";
    case experiment_status::stopped:
      return "stopped on request";
    case experiment_status::failed:
      return "failed";
    case experiment_status::left_off:
      return "left off as asked: the rest has not run";
    case experiment_status::stalled:
      return has_trials_left ? "stalled: trials are left, but none can run"
                             : "stalled: no trial is left, and the searcher has no further one";
  }
  return "ended";
}

tint tint_of(experiment_status x) {
  if (x == experiment_status::done)
    return tint::good;
  bool bad = x == experiment_status::failed || x == experiment_status::stalled;
  return bad ? tint::bad : tint::warning;
}

std::string counts_text(const run_snapshot& x) {
  using enum trial_status;
  auto result = counted(known_trials(x), "trial");
  auto parts = count_texts(x);
  if (auto n = count_of(x, terminated); n > 0)
    parts.insert(parts.begin(), std::to_string(n) + " terminated");
  for (std::size_t i = 0; i < parts.size(); ++i)
    result += (i == 0 ? ": " : ", ") + parts[i];
  if (x.withdrawn > 0)
    result += "; " + std::to_string(x.withdrawn) + " more "
              + (x.withdrawn == 1 ? "was withdrawn before it began"
                                  : "were withdrawn before they began");
  return result;
}

/// The checkpoint for the best metrics. Says so if it belongs to another report.
std::string checkpoint_text(const run_snapshot& x) {
  const auto& best = *x.best;
  if (best.checkpoint.empty())
    return {};
  auto result = "  checkpoint: " + printable(best.checkpoint) + "\n";
  // A checkpoint that was taken over may be of the same iteration, and of another report.
  const auto is_same
      = !best.checkpoint_metrics || !best.metrics
        || have_same_objectives(*best.checkpoint_metrics, *best.metrics, x.objectives);
  if (best.checkpoint_iteration == best.iteration && is_same)
    return result;
  result += "    of iteration " + std::to_string(best.checkpoint_iteration);
  for (const auto& what : x.objectives) {
    const auto* found
        = best.checkpoint_metrics ? find_path(*best.checkpoint_metrics, what.metric) : nullptr;
    if (found != nullptr)
      result += ", " + printable(what.metric) + " = " + printable(to_text(*found));
  }
  return result + ": the best report has none\n";
}

/// The constraints that the best trial misses.
std::string missed_text(const run_snapshot& x, const style& look) {
  static const object nothing;
  const auto& metrics = x.best->metrics ? *x.best->metrics : nothing;
  const auto result = misses_text(x.constraints, metrics);
  return result.empty() ? result
                        : "    " + look.paint(tint::warning, "no trial keeps all constraints")
                              + "; it misses the least: " + result + "\n";
}

/// The statistics of all runs of the best configuration.
std::string joint_text(const run_snapshot& x, const style& look) {
  if (!x.best->runs || x.objectives.empty())
    return {};
  const auto& all = *x.best->runs;
  std::string result = "    ";
  if (!all.is_full)
    result += look.paint(tint::warning, "not all of its runs count") + ": ";
  auto count = std::to_string(all.runs)
               + (all.runs < all.wanted ? " of " + std::to_string(all.wanted) : std::string{})
               + (std::max(all.runs, all.wanted) == 1 ? " run" : " runs");
  const auto by_mean = is_judged_by_mean(all);
  const auto mean = with_error(all.mean, all.error);
  result += (all.confirms ? "confirmed by " : "") + count + ": "
            + (by_mean ? "mean" : judge_text(all)) + " "
            + look.paint(tint::good, printable(x.objectives.front().metric) + " = "
                                         + (by_mean ? mean : short_text(value{all.judged})));
  if (!by_mean)
    result += ", by which it is judged; mean " + mean;
  if (!std::isnan(all.mean_in_search))
    result += std::string{by_mean ? "; " : ", "} + "in the search "
              + short_text(value{all.mean_in_search});
  if (all.violation > 0)
    result += "; " + look.paint(tint::warning, "they miss the constraints") + " "
              + miss_text(all.violation) + " on average";
  return result + "\n";
}

std::string best_text(const run_snapshot& x, const style& look) {
  if (!x.best)
    return "  best: none, no trial reported a number for "
           + (x.objectives.empty() ? "an objective" : printable(x.objectives.front().metric))
           + " other than NaN\n";
  std::string result = "  best: trial " + to_text(x.best->trial);
  if (const auto later = later_failure(x.best->status); !later.empty())
    result += look.paint(tint::warning, later);
  result += " at iteration " + std::to_string(x.best->iteration);
  for (const auto& what : x.objectives) {
    const auto* found = x.best->metrics ? find_path(*x.best->metrics, what.metric) : nullptr;
    if (found != nullptr)
      result
          += ", "
             + look.paint(tint::good, printable(what.metric) + " = " + printable(to_text(*found)));
  }
  result += "\n" + joint_text(x, look) + missed_text(x, look);
  if (x.best->config)
    for (const auto& [name, what] : flatten(*x.best->config, x.object_parameters))
      result += "    " + printable(name) + " = " + literal_text(what) + "\n";
  return result + checkpoint_text(x);
}

/// The counts of exports, if there were any.
std::string exports_text(const run_snapshot& x, const style& look) {
  const auto& [made, failed, why] = x.exports;
  if (made + failed == 0)
    return {};
  if (failed == 0)
    return "  exports: " + std::to_string(made) + " made\n";
  auto counts = made == 0 ? "all " + std::to_string(failed) + " failed"
                          : std::to_string(made) + " made, " + std::to_string(failed) + " failed";
  return "  exports: " + look.paint(tint::warning, counts) + ": "
         + cut(in_one_line(why), longest_why) + "\n";
}

std::string failures_text(const run_snapshot& x, const style& look) {
  constexpr std::size_t shown = 3;
  std::string result;
  for (std::size_t i = 0; i < std::min(x.failures.size(), shown); ++i) {
    const auto& group = x.failures[i];
    result
        += "  " + look.paint(tint::bad, counted(group.trials.size(), "trial") + " failed") + ": "
           + cut(printable(group.kind + (group.text.empty() ? "" : ": " + group.text)), longest_why)
           + " (trial " + to_text(group.trials.front()) + (group.trials.size() > 1 ? ", ...)" : ")")
           + "\n";
  }
  if (x.failures.size() > shown)
    result += "  and " + counted(x.failures.size() - shown, "more kind") + " of failures"
              + (x.directory.empty()
                     ? std::string{}
                     : ": "
                           + printable(program_call("trials " + experiment_words(x.directory))
                                       + " --failed"))
              + "\n";
  return result;
}

std::string remarks_text(const run_snapshot& x, const style& look) {
  std::string result;
  for (const auto& text : x.remarks)
    result += "  " + look.paint(tint::warning, cut(in_one_line(text), longest_why)) + "\n";
  return result;
}

std::string front_text(const run_snapshot& x) {
  constexpr std::size_t shown = 10;
  if (x.pareto.empty())
    return {};
  auto result = "  no trial beats in all objectives: " + counted(x.pareto.size(), "trial") + "\n";
  for (std::size_t i = 0; i < std::min(x.pareto.size(), shown); ++i) {
    result += "    trial " + to_text(x.pareto[i].trial) + ":";
    for (std::size_t j = 0; j < x.objectives.size(); ++j)
      result += (j == 0 ? " " : ", ") + printable(x.objectives[j].metric) + " = "
                + printable(to_text(x.pareto[i].objectives[j]));
    result += "\n";
  }
  return x.pareto.size() > shown ? result + "    ...\n" : result;
}

value best_object(const run_snapshot& x) {
  if (!x.best)
    return {};
  object result;
  result.set("trial", to_text(x.best->trial));
  result.set("config", x.best->config ? *x.best->config : object{});
  result.set("metrics", x.best->metrics ? *x.best->metrics : object{});
  result.set("iteration", static_cast<std::int64_t>(x.best->iteration));
  result.set("status", to_text(x.best->status));
  if (!x.constraints.empty())
    result.set("violation",
               total_violation(x.constraints, x.best->metrics ? *x.best->metrics : object{}));
  auto has = !x.best->checkpoint.empty();
  result.set("checkpoint", has ? value{x.best->checkpoint} : value{});
  result.set("checkpoint_iteration",
             has ? value{static_cast<std::int64_t>(x.best->checkpoint_iteration)} : value{});
  const auto& saved = x.best->checkpoint_metrics;
  result.set("checkpoint_metrics", has && saved ? value{*saved} : value{});
  if (x.best->runs)
    result.set("runs", to_object(*x.best->runs));
  return result;
}

double seconds_of(std::chrono::nanoseconds x) {
  return static_cast<double>(std::chrono::round<std::chrono::milliseconds>(x).count()) / 1000;
}

} // namespace

std::string summary_text(const run_snapshot& x, const run_ending& end, const style& look) {
  auto text = end.has_lost_record ? "broken off"
                                  : ending_text(end.status, known_trials(x) > ended_trials(x),
                                                end.why == training_limit_reached);
  auto result = look.paint(tint::strong, printable(x.experiment)) + ": "
                + look.paint(tint_of(end.status), text) + " after " + duration_text(x.elapsed)
                + "\n";
  if (!end.why.empty() && end.why != to_text(end.status))
    result += "  " + cut(cause_text(end.why), longest_why) + "\n";
  if (end.has_lost_record)
    result += "  what it knew of its trials then:\n";
  result += progress_text(x, look);
  if (x.directory.empty())
    return result;
  result += "  directory: " + printable(x.directory)
            + (end.head.empty() ? "" : " at " + printable(end.head))
            + (end.is_gone ? ", where it is no more" : "") + "\n";
  auto steps = next_steps(x, end);
  result += "next:\n";
  for (const auto& step : steps)
    result
        += "  " + printable(step.command) + look.paint(tint::faint, "  # " + step.purpose) + "\n";
  return result;
}

std::string progress_text(const run_snapshot& x, const style& look) {
  return "  " + counts_text(x) + "\n" + failures_text(x, look) + remarks_text(x, look)
         + best_text(x, look) + front_text(x) + exports_text(x, look);
}

object summary_object(const run_snapshot& x, std::string_view status) {
  object counts;
  for (std::size_t i = 0; i < x.counts.size(); ++i)
    counts.set(to_text(static_cast<trial_status>(i)), static_cast<std::int64_t>(x.counts[i]));
  if (x.withdrawn > 0)
    counts.set("WITHDRAWN", static_cast<std::int64_t>(x.withdrawn));
  object result;
  result.set("experiment", x.experiment);
  result.set("directory", x.directory.empty() ? value{} : value{x.directory});
  result.set("status", status);
  result.set("counts", counts);
  result.set("planned", x.planned ? value{static_cast<std::int64_t>(*x.planned)} : value{});
  result.set("best", best_object(x));
  result.set("elapsed_s", seconds_of(x.elapsed));
  if (const auto& [made, failed, why] = x.exports; made + failed > 0)
    result.set("exports", object{{"made", static_cast<std::int64_t>(made)},
                                 {"failed", static_cast<std::int64_t>(failed)},
                                 {"why", why}});
  value::list failures;
  for (const auto& group : x.failures)
    failures.emplace_back(to_object(group));
  if (!failures.empty())
    result.set("failures", std::move(failures));
  if (!x.remarks.empty())
    result.set("remarks", value::list{x.remarks.begin(), x.remarks.end()});
  value::list front;
  for (const auto& row : x.pareto)
    front.emplace_back(to_text(row.trial));
  if (!front.empty())
    result.set("pareto", std::move(front));
  return result;
}

std::string summary_json(const run_snapshot& x, experiment_status status, const std::string& why,
                         object simulated) {
  auto result = summary_object(x, to_text(status));
  if (!why.empty())
    result.set("why", why);
  if (!simulated.empty())
    result.set("simulated", std::move(simulated));
  return to_json(result) + "\n";
}

} // namespace tune::cli
