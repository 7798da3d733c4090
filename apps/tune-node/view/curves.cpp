// SPDX-License-Identifier: BSD-3-Clause
#include "view/curves.hpp"

#include "view/fields.hpp"
#include "view/ways_of_ending.hpp"

#include <algorithm>
#include <cmath>

namespace tune::cli {

namespace {

/// What curves were asked for.
struct curve_wish {
  std::string metric;
  std::size_t trials = 100;
  std::size_t points = 200;
  curve_axis axis = curve_axis::iteration;
  curve_choice which = curve_choice::best;
};

std::variant<curve_wish, view_fault> curve_wish_in(const view_request& what) {
  query_reader query{what};
  curve_wish result;
  result.metric = query.text("metric");
  result.trials = query.number("trials", 100, 1, 1000);
  result.points = query.number("points", 200, 4, 2000);
  const auto axis = query.one_of("x", {"iteration", "time", "cost"});
  const auto which = query.one_of("which", {"best", "recent", "spread"});
  if (query.fault())
    return *query.fault();
  using enum curve_axis;
  using enum curve_choice;
  result.axis = axis == "time" ? time : axis == "cost" ? cost : iteration;
  result.which = which == "recent" ? recent : which == "spread" ? spread : best;
  return result;
}

/// One trial to draw.
struct drawn_trial {
  trial_id trial;
  trial_status status = trial_status::pending;
  bool ran_its_course = false;
  bool said_it_is_done = false;
};

value points_value(const std::vector<point>& all) {
  value::list result;
  for (const auto& [x, y] : all)
    result.emplace_back(value::list{x, number_or_null(y)});
  return result;
}

/// Whether the scheduler gave the trial up: not where it came to its end, or to a condition's.
bool gave_up(const decision_row& x) {
  const auto* rule = x.reason.find("rule");
  const auto* kept = x.reason.find("kept");
  return !x.reason.contains("max_t") && (rule == nullptr || *rule != value{"stop"})
         && (kept == nullptr || kept->number() != 0.0);
}

/// @param again Null: the trial was never to run again after it had ended.
expected<object> curve_of(store_reader& from, const drawn_trial& of, const curve_wish& what,
                          const last_retry* again) {
  curve_maker maker{what.axis};
  auto read = from.scan_results_of(of.trial, [&](const raw_result& x) {
    if (auto number = metric_in(x, what.metric))
      maker.read(x, *number);
  });
  if (!read)
    return read.error();
  constexpr std::size_t most_stops = 100;
  auto stops
      = from.decisions_after({again == nullptr ? 0 : again->seq, of.trial, "stop", most_stops});
  if (!stops)
    return stops.error();
  auto cut_off = is_cut_off(from, of.trial, again);
  if (!cut_off)
    return cut_off.error();
  const auto is_cut = *cut_off && of.status == trial_status::terminated && !of.said_it_is_done;
  const auto points = maker.points();
  const auto last = points.empty() ? value{} : value{points.back().first};
  const auto is_stopped = std::any_of(stops->begin(), stops->end(), gave_up) && is_final(of.status)
                          && !of.ran_its_course;
  return object{{"trial", number_value(of.trial.number)},
                {"status", to_text(of.status)},
                {"stopped_at", is_stopped ? last : value{}},
                {"cut_off_at", is_cut ? last : value{}},
                {"points", points_value(telling_points(points, what.points))}};
}

} // namespace

void curve_maker::read(const raw_result& x, double value) {
  while (!all_.empty() && all_.back().iteration >= x.iteration)
    all_.pop_back();
  const auto at = axis_ == curve_axis::iteration
                      ? static_cast<double>(x.iteration)
                      : seconds_of(axis_ == curve_axis::time ? x.at : x.time_total);
  all_.push_back({x.iteration, {at, value}});
}

std::vector<point> curve_maker::points() const {
  std::vector<point> result;
  for (const auto& x : all_)
    result.push_back(x.at);
  return result;
}

std::vector<std::size_t> chosen_trials(const trial_table& trials, curve_choice how,
                                       std::size_t most) {
  const auto& lines = trials.lines();
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].iterations > 0)
      all.push_back(i);
  }
  auto better = [&](std::size_t x, std::size_t y) {
    return is_better(lines[x].how, lines[y].how)
           || (!is_better(lines[y].how, lines[x].how) && x < y);
  };
  if (how == curve_choice::recent) {
    std::reverse(all.begin(), all.end());
    all.resize(std::min(all.size(), most));
    return all;
  }
  const auto count = std::min(all.size(), most);
  if (how == curve_choice::best) {
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      better);
    all.resize(count);
    return all;
  }
  std::sort(all.begin(), all.end(), better);
  std::vector<std::size_t> result;
  for (auto place : spread_places(all.size(), most))
    result.push_back(all[place]);
  return result;
}

view_answer curves(watched_experiment& from, const view_request& what) {
  auto wish = curve_wish_in(what);
  if (auto* fault = std::get_if<view_fault>(&wish))
    return *fault;
  auto& asked = std::get<curve_wish>(wish);
  std::vector<drawn_trial> drawn;
  std::size_t total = 0;
  {
    auto seen = from.look();
    if (!seen)
      return fault_of(seen.error());
    if (asked.metric.empty())
      asked.metric = (*seen)->start->by.objectives.front().metric;
    const auto& lines = (*seen)->trials.lines();
    total = lines.size();
    for (auto place : chosen_trials((*seen)->trials, asked.which, asked.trials))
      drawn.push_back({lines[place].trial, lines[place].status, lines[place].ran_its_course,
                       lines[place].said_it_is_done});
  }
  const auto again = from.retries();
  if (!again)
    return fault_of(again.error());
  value::list result;
  auto read = from.with_reader([&](store_reader& reader) -> expected<void> {
    for (const auto& x : drawn) {
      auto curve = curve_of(reader, x, asked, find_retry(*again, x.trial));
      if (!curve)
        return curve.error();
      result.emplace_back(std::move(*curve));
    }
    return {};
  });
  if (!read)
    return fault_of(read.error());
  return value{object{
      {"metric", asked.metric}, {"curves", std::move(result)}, {"total", number_value(total)}}};
}

} // namespace tune::cli
