// Charts of how an experiment is made up: its parameters, its rungs, its attempts.
// SPDX-License-Identifier: BSD-3-Clause
#include "plot/answers.hpp"

#include "console/human.hpp"
#include "view/fields.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tune::cli::answers {

namespace {

using form = chart_series::form;

/// Whether two values are told alike: 3 and 3.0 are, and true and "true".
bool is_same_name(const value& x, const value& y) {
  if (x.as_bool() != nullptr || y.as_bool() != nullptr)
    return to_text(x) == to_text(y);
  const auto a = x.number(), b = y.number();
  return a && b ? *a == *b : to_text(x) == to_text(y);
}

/// Where a value of a parameter lies between the ends of its axis. [0 to 1; NaN: nowhere]
double place_of(const object& axis, const value& x) {
  const auto& listed = list_in(axis, "values");
  if (!listed.empty()) {
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (is_same_name(listed[i], x))
        return listed.size() == 1 ? 0.5
                                  : static_cast<double>(i) / static_cast<double>(listed.size() - 1);
    }
    return no_number;
  }
  const auto low = figure_at(axis, "low"), high = figure_at(axis, "high"), at = figure_in(x);
  if (low == high)
    return 0.5;
  if (is_true(axis, "log") && low > 0)
    return at > 0 ? (std::log(at) - std::log(low)) / (std::log(high) - std::log(low)) : no_number;
  return (at - low) / (high - low);
}

std::string ends_of(const object& axis) {
  const auto& listed = list_in(axis, "values");
  if (!listed.empty())
    return to_text(listed.front()) + " to " + to_text(listed.back());
  return number_text(figure_at(axis, "low")) + " to " + number_text(figure_at(axis, "high"))
         + (is_true(axis, "log") ? ", log" : "");
}

/// The lines of the answer, the worst first.
std::vector<const value*> worst_first(const object& from) {
  std::vector<const value*> result;
  for (const auto& x : list_in(from, "lines"))
    result.push_back(&x);
  const auto last = list_in(from, "axes").size() + 2;
  const auto maximise = text_at(from, "mode") == "max";
  std::stable_sort(result.begin(), result.end(), [&](const auto* a, const auto* b) {
    const auto x = figure_in(cell_of(*a, last)), y = figure_in(cell_of(*b, last));
    return maximise ? x < y : x > y;
  });
  return result;
}

/// A place within [-0.35, 0.35] that is always the same for a trial.
double aside(double trial) {
  const auto x = std::sin(trial * 12.9898) * 43758.5453;
  return 0.7 * (x - std::floor(x)) - 0.35;
}

/// How an attempt ended, as a colour.
chart_ink ink_of_end(const std::string& end) {
  static const std::map<std::string, chart_ink> known{
      {"", chart_ink::first},          {"finished", chart_ink::good},
      {"stopped", chart_ink::cut},     {"paused", chart_ink::faint},
      {"preempted", chart_ink::faint}, {"interrupted", chart_ink::faint}};
  const auto found = known.find(end);
  return found == known.end() ? chart_ink::bad : found->second;
}

/// What stands before the names of rungs where there are several brackets, and several bands.
struct bracket_words {
  explicit bracket_words(const value::list& brackets) : has_brackets{brackets.size() > 1} {
    std::set<std::string> bands;
    for (const auto& x : brackets)
      bands.insert(text_at(*x.as_object(), "band"));
    has_bands = bands.size() > 1;
  }

  [[nodiscard]] std::string label() const {
    return std::string{has_bands ? "band/" : ""} + (has_brackets ? "bracket:" : "")
           + "iterations of the rung";
  }
  [[nodiscard]] std::string before(const object& bracket) const {
    return (has_bands ? text_at(bracket, "band") + "/" : "")
           + (has_brackets ? text_at(bracket, "bracket") + ":" : "");
  }

  bool has_brackets = false;
  bool has_bands = false;
};

} // namespace

expected<chart> importance_chart(const chart_wish& wish, const object& from) {
  chart result;
  result.title = "Importance for " + text_at(from, "metric");
  result.x = {"share, %"};
  std::vector<const object*> rows;
  std::string unknown;
  for (const auto& x : list_in(from, "parameters")) {
    const auto* row = x.as_object();
    if (std::isnan(figure_at(*row, "importance")))
      unknown += (unknown.empty() ? "" : ", ") + text_at(*row, "name");
    else
      rows.push_back(row);
  }
  if (rows.empty())
    return nothing(text_at(from, "note").empty() ? "nothing is known yet" : text_at(from, "note"));
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return figure_at(*a, "importance") < figure_at(*b, "importance");
  });
  chart_series sure{form::spans, chart_ink::first, {}, "more than chance"};
  chart_series chance{form::spans, chart_ink::faint, {}, "no more than chance"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto y = static_cast<double>(i);
    const auto share = 100 * figure_at(*rows[i], "importance");
    auto& to = is_true(*rows[i], "more_than_chance") ? sure : chance;
    to.points.insert(to.points.end(), {{0, y}, {share, y}});
    result.y.names.push_back(text_at(*rows[i], "name") + " "
                             + number_text(std::round(share * 10) / 10) + " %");
  }
  if (chance.points.empty())
    chance.name.clear();
  if (sure.points.empty())
    sure.name.clear();
  result.series = {std::move(chance), std::move(sure)};
  result.notes.push_back("by " + text_at(from, "method"));
  if (!unknown.empty())
    result.notes.push_back("too few configurations have " + unknown + " to tell");
  auto linear = wish;
  linear.log_x = linear.log_y = false;
  return fitted(std::move(result), linear);
}

expected<chart> parallel_chart(const object& from) {
  chart result;
  result.title = "Parameters and " + text_at(from, "metric");
  std::vector<const object*> axes;
  for (const auto& x : list_in(from, "axes"))
    axes.push_back(x.as_object());
  axes.push_back(from.find("metric_axis")->as_object());
  const auto lines = worst_first(from);
  if (lines.empty())
    return nothing("no trial has a value of " + text_at(from, "metric") + " yet");
  const auto best = std::max<std::size_t>(1, lines.size() / 10);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto is_best = i + best >= lines.size();
    chart_series line{form::line, is_best ? chart_ink::first : chart_ink::faint, {}};
    for (std::size_t k = 0; k < axes.size(); ++k) {
      // A line passes a parameter that the trial does not have.
      const auto at = place_of(*axes[k], cell_of(*lines[i], k + 2));
      if (std::isfinite(at))
        line.points.emplace_back(static_cast<double>(k), at);
    }
    result.series.push_back(std::move(line));
  }
  result.series.back().name = "the best tenth";
  for (const auto* axis : axes) {
    result.x.names.push_back(text_at(*axis, "name"));
    result.notes.push_back(text_at(*axis, "name") + ": " + ends_of(*axis));
  }
  result.y.hidden = true;
  fit(result);
  result.y.low = 0;
  result.y.high = 1;
  return result;
}

expected<chart> slice_chart(const chart_wish& wish, const object& from) {
  const auto& axes = list_in(from, "axes");
  std::string known;
  auto at = axes.size();
  for (auto i = axes.size(); i-- > 0;) {
    const auto name = text_at(*axes[i].as_object(), "name");
    known = name + (known.empty() ? "" : ", ") + known;
    if (wish.parameter.empty() || name == wish.parameter)
      at = i;
  }
  if (at == axes.size())
    return error{ec::unknown_name,
                 wish.parameter.empty()
                     ? std::string{"the space has no parameters"}
                     : "there is no parameter " + wish.parameter + "; there are: " + known};
  const auto& axis = *axes[at].as_object();
  const auto& listed = list_in(axis, "values");
  chart result;
  const auto name = text_at(axis, "name");
  result.title = text_at(from, "metric") + " over " + name;
  result.x = {name};
  for (const auto& x : listed)
    result.x.names.push_back(to_text(x));
  result.y = {text_at(from, "metric")};
  chart_series dots{form::dots, chart_ink::first, {}};
  for (const auto* line : worst_first(from)) {
    const auto& cell = cell_of(*line, at + 2);
    const auto x = listed.empty() ? figure_in(cell)
                                  : place_of(axis, cell) * static_cast<double>(listed.size() - 1);
    dots.points.emplace_back(x, figure_in(cell_of(*line, axes.size() + 2)));
  }
  if (dots.points.empty())
    return nothing("no trial has a value of " + text_at(from, "metric") + " yet");
  result.series = {std::move(dots)};
  auto scaled = wish;
  scaled.log_x = wish.log_x || is_true(axis, "log");
  return fitted(std::move(result), scaled);
}

expected<chart> rungs_chart(const chart_wish& wish, const object& from) {
  chart result;
  const auto& brackets = list_in(from, "brackets");
  const bracket_words words{brackets};
  result.title = "Rungs of " + text_at(from, "kind");
  result.x = {words.label()};
  result.y = {"value"};
  chart_series on{form::dots, chart_ink::first, {}, "went on"};
  chart_series stopped{form::crosses, chart_ink::cut, {}, "stopped"};
  chart_series waits{form::dots, chart_ink::faint, {}, "waits"};
  chart_series cutoffs{form::spans, chart_ink::second, {}, "cutoff"};
  for (const auto& bracket : brackets) {
    for (const auto& each : list_in(*bracket.as_object(), "rungs")) {
      const auto& rung = *each.as_object();
      const auto at = static_cast<double>(result.x.names.size());
      result.x.names.push_back(words.before(*bracket.as_object())
                               + number_text(figure_at(rung, "at")));
      for (const auto& x : list_in(rung, "values")) {
        const auto& went_on = cell_of(x, 2);
        auto& to = went_on.is_null() ? waits : went_on == value{true} ? on : stopped;
        to.points.emplace_back(at + aside(figure_in(cell_of(x, 0))), figure_in(cell_of(x, 1)));
      }
      const auto cutoff = figure_at(rung, "cutoff");
      if (!std::isnan(cutoff))
        cutoffs.points.insert(cutoffs.points.end(), {{at - 0.42, cutoff}, {at + 0.42, cutoff}});
    }
  }
  if (result.x.names.empty())
    return nothing("its scheduler has no rungs, or no trial came to one yet");
  for (auto* x : {&stopped, &waits, &on, &cutoffs}) {
    if (!x->points.empty())
      result.series.push_back(std::move(*x));
  }
  auto level = wish;
  level.log_x = false;
  return fitted(std::move(result), level);
}

expected<chart> timeline_chart(const object& from) {
  const auto& attempts = list_in(from, "attempts");
  if (attempts.empty())
    return nothing("no trial has run yet");
  std::map<std::string, std::vector<const object*>> by_node;
  double last = 0;
  for (const auto& x : attempts) {
    by_node[text_at(*x.as_object(), "node")].push_back(x.as_object());
    last = std::fmax(
        last, std::fmax(figure_at(*x.as_object(), "started"), figure_at(*x.as_object(), "ended")));
  }
  chart result;
  result.title = "Attempts over time";
  result.x = {"time"};
  result.x.seconds = true;
  std::map<chart_ink, chart_series> series;
  const std::map<chart_ink, std::string> names{{chart_ink::first, "runs"},
                                               {chart_ink::good, "finished"},
                                               {chart_ink::cut, "stopped"},
                                               {chart_ink::faint, "paused"},
                                               {chart_ink::bad, "failed or lost"}};
  for (auto& [node, all] : by_node) {
    std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
      return figure_at(*a, "started") < figure_at(*b, "started");
    });
    const auto first = result.y.names.size();
    std::vector<double> free;
    for (const auto* x : all) {
      const auto begin = figure_at(*x, "started");
      const auto end = std::isnan(figure_at(*x, "ended")) ? last : figure_at(*x, "ended");
      auto lane = static_cast<std::size_t>(
          std::find_if(free.begin(), free.end(), [&](double y) { return y <= begin; })
          - free.begin());
      if (lane == free.size()) {
        free.push_back(0);
        result.y.names.push_back(lane == 0 ? node : "");
      }
      free[lane] = end;
      const auto ink = ink_of_end(text_at(*x, "end_class"));
      auto& to = series.try_emplace(ink, chart_series{form::spans, ink, {}, names.at(ink)})
                     .first->second;
      const auto y = static_cast<double>(first + lane);
      to.points.insert(to.points.end(), {{begin, y}, {end, y}});
    }
  }
  for (auto& [ink, each] : series)
    result.series.push_back(std::move(each));
  fit(result);
  // The first node stands at the top.
  std::swap(result.y.low, result.y.high);
  if (is_true(from, "sampled"))
    result.notes.push_back(std::to_string(attempts.size()) + " of " + text_at(from, "total")
                           + " attempts");
  return result;
}

} // namespace tune::cli::answers
