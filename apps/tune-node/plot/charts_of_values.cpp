// Charts of values: over trials, time, iterations, and over one another.
// SPDX-License-Identifier: BSD-3-Clause
#include "plot/answers.hpp"

#include "console/human.hpp"
#include "view/fields.hpp"

#include <algorithm>
#include <cmath>

namespace tune::cli::answers {

namespace {

using form = chart_series::form;

/// What the steps of a history are: which of two values of a metric that is no objective is the
/// better one is not known.
std::string name_of_steps(const object& from) {
  if (*from.find("is_objective") == value{true})
    return "best";
  return text_at(from, "mode") == "max" ? "highest" : "lowest";
}

/// "lower bound" for "lower_bound", which bounds a metric that is minimised from above.
std::string judge_words(const std::string& judge, bool is_minimised) {
  return judge != "lower_bound" ? judge : is_minimised ? "upper bound" : "lower bound";
}

/// Whether a point of a Pareto chart has a number for each objective.
bool has_all_objectives(const value& point, std::size_t objectives) {
  for (std::size_t i = 1; i <= objectives; ++i) {
    if (std::isnan(figure_in(cell_of(point, i))))
      return false;
  }
  return true;
}

/// What stands below a chart of a front. @param points On the front.
std::string front_note(std::size_t points, std::size_t objectives) {
  if (points == 0)
    return "no trial keeps all constraints yet: the front is empty";
  return counted(points, "trial") + " on the front"
         + (objectives > 2 ? "; drawn by the first two objectives" : "");
}

} // namespace

expected<chart> history_chart(const chart_wish& wish, const object& from) {
  const auto over_time = wish.across == chart_across::time;
  chart result;
  const auto name = name_of_steps(from);
  result.title = name + " " + text_at(from, "metric") + " so far";
  result.title[0] = static_cast<char>(result.title[0] - 'a' + 'A');
  result.x = {over_time ? "time" : "trial"};
  result.x.whole = !over_time;
  result.x.seconds = over_time;
  result.y = {text_at(from, "metric")};
  // The steps go by configurations then, and the dots do not.
  const auto judge = text_at(from, "judge");
  if (!judge.empty())
    result.notes.push_back("best: the " + judge_words(judge, text_at(from, "mode") == "min")
                           + " of a configuration's runs");
  if (const auto by = text_at(from, "at_best_of"); !by.empty())
    result.notes.push_back("of each trial the value at its best " + by);
  chart_series all{form::dots, chart_ink::faint, {}, judge.empty() ? "trials" : "single runs"};
  chart_series failed{form::crosses, chart_ink::bad, {}, "failed"};
  for (const auto& x : list_in(from, "values")) {
    auto& to = cell_of(x, 3) == value{"ERRORED"} ? failed : all;
    to.points.emplace_back(figure_in(cell_of(x, over_time ? 1 : 0)), figure_in(cell_of(x, 2)));
  }
  if (all.points.empty() && failed.points.empty())
    return nothing("no trial has a value of " + text_at(from, "metric") + " yet");
  if (failed.points.empty())
    failed.name.clear();
  auto best = pairs_in(from, over_time ? "best_over_time" : "best_over_trials");
  result.series = {std::move(all),
                   std::move(failed),
                   {form::steps, chart_ink::first, std::move(best), name + " so far"}};
  auto fine = fitted(std::move(result), wish);
  // What is best is always in sight.
  const auto& steps = fine.series.back().points;
  if (!steps.empty() && std::isfinite(place_on(fine.y, steps.back().second))) {
    fine.y.low = std::min(fine.y.low, steps.back().second);
    fine.y.high = std::max(fine.y.high, steps.back().second);
  }
  return fine;
}

expected<chart> curves_chart(const chart_wish& wish, const object& from) {
  chart result;
  const auto& all = list_in(from, "curves");
  const auto is_clock = wish.across == chart_across::time || wish.across == chart_across::cost;
  result.title = "Learning curves of " + text_at(from, "metric");
  result.x = {wish.across == chart_across::time   ? "time"
              : wish.across == chart_across::cost ? "training time"
                                                  : "iteration"};
  result.x.whole = !is_clock;
  result.x.seconds = is_clock;
  result.y = {text_at(from, "metric")};
  chart_series stopped{form::crosses, chart_ink::cut, {}, "stopped by the scheduler"};
  chart_series cut_off{form::bars, chart_ink::second, {}, "ended from outside"};
  chart_series failed{form::crosses, chart_ink::bad, {}, "failed"};
  // The best comes first, and is drawn last.
  for (auto i = all.size(); i-- > 0;) {
    const auto& curve = *all[i].as_object();
    auto points = pairs_in(curve, "points");
    if (points.empty())
      continue;
    if (text_at(curve, "status") == "ERRORED")
      failed.points.push_back(points.back());
    else if (!curve.find("stopped_at")->is_null())
      stopped.points.push_back(points.back());
    else if (!curve.find("cut_off_at")->is_null())
      cut_off.points.push_back(points.back());
    result.series.push_back({form::line, i == 0 ? chart_ink::first : chart_ink::faint,
                             std::move(points), i == 0 ? "the best" : ""});
  }
  if (result.series.empty())
    return nothing("no trial has reported " + text_at(from, "metric") + " yet");
  result.notes.push_back(std::to_string(result.series.size()) + " of "
                         + counted(static_cast<std::uint64_t>(figure_at(from, "total")), "trial"));
  for (auto* marks : {&stopped, &cut_off, &failed}) {
    if (!marks->points.empty())
      result.series.push_back(std::move(*marks));
  }
  return fitted(std::move(result), wish);
}

expected<chart> pareto_chart(const chart_wish& wish, const object& from) {
  const auto& objectives = list_in(from, "objectives");
  if (objectives.size() < 2)
    return nothing("this experiment has one objective: its front is its best trial");
  auto label = [&](std::size_t i) {
    const auto& x = *objectives[i].as_object();
    return text_at(x, "metric")
           + (text_at(x, "mode") == "max" ? " (more is better)" : " (less is better)");
  };
  chart result;
  result.title = "Pareto front";
  result.x = {label(0)};
  result.y = {label(1)};
  chart_series missing{form::dots, chart_ink::bad, {}, "misses a constraint"};
  chart_series beaten{form::dots, chart_ink::faint, {}, "beaten"};
  chart_series front{form::crosses, chart_ink::first, {}, "on the front"};
  auto is_known = false;
  for (const auto& x : list_in(from, "points")) {
    const auto is_front = cell_of(x, objectives.size() + 1) == value{true};
    const auto misses = cell_of(x, objectives.size() + 2) == value{false};
    is_known = is_known || has_all_objectives(x, objectives.size());
    (is_front ? front
     : misses ? missing
              : beaten)
        .points.emplace_back(figure_in(cell_of(x, 1)), figure_in(cell_of(x, 2)));
  }
  // A front is empty although there are trials with all objectives where all miss a constraint.
  if (!is_known)
    return nothing("no trial has all objectives yet");
  result.notes.push_back(front_note(front.points.size(), objectives.size()));
  const auto must = front.points;
  for (auto* each : {&missing, &beaten, &front}) {
    if (!each->points.empty())
      result.series.push_back(std::move(*each));
  }
  auto fine = fitted(std::move(result), wish);
  for (const auto& [x, y] : must) {
    fine.y.low = std::min(fine.y.low, y);
    fine.y.high = std::max(fine.y.high, y);
  }
  return fine;
}

} // namespace tune::cli::answers
