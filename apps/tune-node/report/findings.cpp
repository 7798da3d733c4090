// SPDX-License-Identifier: BSD-3-Clause
#include "report/findings.hpp"

#include "console/human.hpp"
#include "report/lead.hpp"
#include "report/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace tune::cli {

namespace {

std::string percent_text(double share) {
  return number_text(std::round(100 * share)) + " %";
}

/// "3 of 10".
std::string of_text(std::size_t part, std::size_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

/// Whether a share is 5 % or more as it is shown.
bool is_a_twentieth(double share) {
  return std::round(1000 * share) >= 50;
}

/// How many of the best count as such: a tenth, but at least 4.
std::size_t best_count(std::size_t ranked) {
  return std::min(ranked, std::max<std::size_t>(4, ranked / 10));
}

/// How many of some trials lie in a tenth of a range, at its lower or its upper end.
std::size_t near_end(const study& x, const std::vector<std::size_t>& which, std::size_t parameter,
                     bool upper) {
  return static_cast<std::size_t>(std::count_if(which.begin(), which.end(), [&](std::size_t i) {
    const auto at = place_in(x.parameters[parameter], x.trials[i].at[parameter]);
    return upper ? at >= 0.9 : at <= 0.1;
  }));
}

/// A configuration as a key, which compares equal where a number is missing in both.
std::vector<double> key_of(const study_trial& x) {
  auto result = x.at;
  std::replace_if(
      result.begin(), result.end(), [](double number) { return std::isnan(number); },
      std::numeric_limits<double>::infinity());
  return result;
}

/// The configurations in the place of their trials, where each ran several times: each as its first
/// run, with the value that its runs in the search come to. The winner is that of all.
study with_runs_together(const study& x) {
  auto result = x;
  result.runs.clear();
  result.trials.clear();
  result.winner.place.reset();
  std::vector<std::vector<double>> scores;
  std::map<std::vector<double>, std::size_t> places;
  for (const auto& trial : x.trials) {
    if (trial.confirms || std::isnan(trial.how.score))
      continue;
    const auto [known, is_new] = places.try_emplace(key_of(trial), places.size());
    const auto place = known->second;
    if (is_new) {
      result.trials.push_back(trial);
      scores.emplace_back();
    }
    scores[place].push_back(trial.how.score);
    result.trials[place].how.violation
        = std::max(result.trials[place].how.violation, trial.how.violation);
  }
  for (std::size_t i = 0; i < scores.size(); ++i)
    result.trials[i].how.score = judged_by(x.runs.front().judge, scores[i]);
  const auto won = x.winner.place ? places.find(key_of(x.trials[*x.winner.place])) : places.end();
  if (won != places.end())
    result.winner.place = won->second;
  return result;
}

/// Where each configuration ran several times, what the rule says of configurations.
template <class Rule>
findings of_configurations(const study& x, Rule rule) {
  auto result = rule(with_runs_together(x));
  constexpr std::string_view noun = " trial";
  for (auto& found : result) {
    for (auto at = found.text.find(" trials "); at != std::string::npos;
         at = found.text.find(" trials ", at))
      found.text.replace(at, noun.size(), " configuration");
  }
  return result;
}

/// A part of a parameter in which trials may fail.
struct region {
  std::string text;
  std::size_t failed = 0;
  std::size_t all = 0;
};

/// The region of a trial; nothing if it is in none.
std::optional<std::size_t> region_at(const study_parameter& of, double at, std::size_t count) {
  if (std::isnan(at))
    return std::nullopt;
  const auto place = of.what == study_parameter::kind::list ? at : std::floor(3 * place_in(of, at));
  if (!(place >= 0))
    return std::nullopt;
  return std::min(static_cast<std::size_t>(place), count - 1);
}

/// The number at a part of a range. @param part [0 to 1]
double number_at(const study_parameter& of, double part) {
  return of.log ? of.low * std::pow(of.high / of.low, part) : of.low + part * (of.high - of.low);
}

/// The least whole number of a third.
double first_whole(const study_parameter& of, std::size_t third) {
  if (third == 0)
    return of.low;
  auto result = std::round(number_at(of, static_cast<double>(third) / 3));
  while (result > of.low && region_at(of, result - 1, 3) >= third)
    --result;
  while (result < of.high && region_at(of, result, 3) < third)
    ++result;
  return result;
}

std::string third_text(const study_parameter& of, std::size_t third) {
  if (of.whole) {
    const auto last = third == 2 ? of.high : first_whole(of, third + 1) - 1;
    const auto first = first_whole(of, third);
    return of.name
           + (first == last ? " = " + number_text(first)
                            : " from " + number_text(first) + " to " + number_text(last));
  }
  return of.name + " from " + number_text(number_at(of, static_cast<double>(third) / 3)) + " to "
         + number_text(number_at(of, static_cast<double>(third + 1) / 3));
}

std::vector<region> regions_of(const study_parameter& of) {
  std::vector<region> result;
  if (of.what == study_parameter::kind::list) {
    for (const auto& x : of.values)
      result.push_back({of.name + " = " + x});
  } else if (of.what == study_parameter::kind::range && of.low < of.high) {
    for (std::size_t i = 0; i < 3; ++i)
      result.push_back({third_text(of, i)});
  }
  return result;
}

/// The region of one parameter that fails most often, if it is as bad as the rule says.
std::optional<finding> failing_region(const study& x, std::size_t parameter) {
  const auto& of = x.parameters[parameter];
  auto regions = regions_of(of);
  if (regions.size() < 2)
    return std::nullopt;
  std::size_t failed = 0, all = 0;
  for (const auto& trial : x.trials) {
    const auto has_ended = trial.fate == trial_fate::finished || trial.fate == trial_fate::stopped
                           || trial.fate == trial_fate::ended || trial.fate == trial_fate::failed;
    const auto where
        = has_ended ? region_at(of, trial.at[parameter], regions.size()) : std::nullopt;
    if (!where)
      continue;
    const std::size_t is_failed = trial.fate == trial_fate::failed ? 1 : 0;
    regions[*where].failed += is_failed;
    ++regions[*where].all;
    failed += is_failed;
    ++all;
  }
  const auto worst = std::max_element(regions.begin(), regions.end(),
                                      [](auto& a, auto& b) { return a.failed < b.failed; });
  const auto rest = all - worst->all;
  if (failed < 5 || rest == 0 || 10 * worst->failed < 6 * failed)
    return std::nullopt;
  const auto here = static_cast<double>(worst->failed) / static_cast<double>(worst->all);
  const auto there = static_cast<double>(failed - worst->failed) / static_cast<double>(rest);
  if (here < 3 * there)
    return std::nullopt;
  return finding{"failing_region", "Trials fail where " + worst->text,
                 of_text(worst->failed, failed) + " failures lie there: " + percent_text(here)
                     + " of the trials in this part failed, " + percent_text(there)
                     + " of all others. Leave that part out of the space, or mend the program "
                       "there."};
}

} // namespace

findings nothing_measured(const study& x) {
  if (x.winner.place || x.trials.empty())
    return {};
  const auto reported = std::count_if(x.trials.begin(), x.trials.end(),
                                      [](const study_trial& t) { return t.iterations > 0; });
  return {{"nothing_measured", "No trial has a value of " + x.metric,
           of_text(static_cast<std::size_t>(reported), x.trials.size())
               + (x.trials.size() == 1 ? " trial" : " trials")
               + " reported something. Look at what they print (tune-node logs), and at the "
                 "name of the metric."}};
}

findings constraint_missed(const study& x) {
  if (!x.winner.place || x.winner.misses.empty())
    return {};
  return {{"constraint_missed", "No trial keeps all constraints",
           "The best one misses the least: " + x.winner.misses
               + ". Loosen what it misses, or search where that can be kept."}};
}

findings edges_of_ranges(const study& x) {
  if (!x.runs.empty())
    return of_configurations(x, edges_of_ranges);
  const auto ranked = ranked_trials(x);
  if (!x.winner.place || ranked.size() < 12)
    return {};
  const auto count = best_count(ranked.size());
  const std::vector<std::size_t> best{ranked.begin(),
                                      ranked.begin() + static_cast<std::ptrdiff_t>(count)};
  findings result;
  for (std::size_t i = 0; i < x.parameters.size(); ++i) {
    const auto& p = x.parameters[i];
    const auto at = place_in(p, x.trials[*x.winner.place].at[i]);
    const auto upper = at >= 0.95;
    // Of few whole numbers each is near an end.
    if (!(upper || at <= 0.05) || (p.whole && p.high - p.low < 4))
      continue;
    const auto near = near_end(x, best, i, upper);
    if (2 * near < count)
      continue;
    result.push_back(
        {"edge_of_range",
         "The best " + p.name + " is at the " + (upper ? "upper" : "lower") + " end of its range",
         "The winner has " + number_text(x.trials[*x.winner.place].at[i]) + " between "
             + number_text(p.low) + " and " + number_text(p.high) + ", and " + of_text(near, count)
             + " of the best trials lie in the " + (upper ? "upper" : "lower") + " tenth"
             + (p.log ? " of the log scale" : "") + ". Better values may lie beyond: widen it."});
  }
  return result;
}

findings idle_parameters(const study& x) {
  if (!x.winner.place || ranked_trials(x).size() < 30)
    return {};
  std::string names;
  std::size_t count = 0;
  for (const auto& p : x.parameters) {
    const auto& lacks = x.winner.lacks;
    if (!p.importance || p.importance->more_than_chance || is_a_twentieth(p.importance->share)
        || p.what == study_parameter::kind::fixed
        || std::find(lacks.begin(), lacks.end(), p.name) != lacks.end())
      continue;
    names += (names.empty() ? "" : ", ") + p.name + " (" + share_text(p.importance->share, 1) + ")";
    ++count;
  }
  if (count == 0)
    return {};
  return {{"idle_parameter",
           counted(count, "parameter") + (count == 1 ? " makes" : " make")
               + " no difference that shows",
           names + ": no more than chance, and less than 5 % of the importance. Fixing "
               + (count == 1 ? "it at its value" : "them at their values")
               + " in the winner leaves more trials for what matters."}};
}

findings failing_regions(const study& x) {
  findings result;
  for (std::size_t i = 0; i < x.parameters.size(); ++i) {
    if (auto found = failing_region(x, i))
      result.push_back(std::move(*found));
  }
  return result;
}

findings rising_or_standing(const study& x) {
  if (!x.runs.empty())
    return of_configurations(x, rising_or_standing);
  const study_trial* best = nullptr;
  std::size_t count = 0, at = 0;
  for (const auto& trial : x.trials) {
    if (trial.confirms || std::isnan(trial.how.score))
      continue;
    ++count;
    if (best != nullptr && !is_better(trial.how, best->how))
      continue;
    best = &trial;
    at = count;
  }
  if (count < 20)
    return {};
  if (10 * at > 9 * count)
    return {{"still_rising", "The search was still finding better ones",
             "The best came as number " + of_text(at, count)
                 + " trials with a value, in the last tenth: more trials may well find better "
                   "ones."}};
  if (2 * at > count)
    return {};
  return {{"plateau", "More of the same finds little",
           "The best came as number " + of_text(at, count) + " trials with a value; the "
               + std::to_string(count - at)
               + " after it found nothing better. Change the space or the program rather than the "
                 "number of trials."}};
}

findings winner_was_learning(const study& x) {
  const auto& curve = x.winner.curve;
  if (curve.size() < 10)
    return {};
  auto best_until = [&](std::size_t end) {
    auto result = curve.front().second;
    for (std::size_t i = 0; i < end; ++i)
      result = std::fmax(result, curve[i].second);
    return result;
  };
  const auto tail = std::max<std::size_t>(1, curve.size() / 10);
  const auto before = best_until(curve.size() - tail);
  const auto end = best_until(curve.size());
  const auto gained = end - curve.front().second;
  if (!(gained > 0) || !(end - before > 0.1 * gained))
    return {};
  return {{"winner_was_learning", "The winner was still learning when it ended",
           "Its last " + counted(tail, "report") + " of " + std::to_string(curve.size())
               + " brought " + x.metric + " from " + number_text(metric_of(x, before)) + " to "
               + number_text(metric_of(x, end)) + ", " + percent_text((end - before) / gained)
               + " of all that it gained. Let the best run longer than "
               + counted(curve.back().first, "iteration") + "."}};
}

findings few_for_dimensions(const study& x) {
  if (!x.runs.empty())
    return of_configurations(x, few_for_dimensions);
  std::size_t searched = 0;
  for (const auto& p : x.parameters)
    searched += p.what == study_parameter::kind::fixed ? 0 : 1;
  const auto known = ranked_trials(x).size();
  if (searched == 0 || known == 0 || known >= 10 * searched || x.is_grid)
    return {};
  return {
      {"few_trials", "Few trials for so many parameters",
       counted(known, "trial") + " with a value for " + counted(searched, "parameter")
           + (known == 1 ? " is " : " are ")
           + number_text(
               std::round(10.0 * static_cast<double>(known) / static_cast<double>(searched)) / 10)
           + " each; with fewer than 10 each, what is best and what mattered is uncertain. Try "
           + std::to_string(10 * searched) + " or more, or fewer parameters."}};
}

findings stopped_ahead(const study& x) {
  if (!x.winner.place || x.winner.curve.empty())
    return {};
  auto winner_at = [&](std::uint64_t iteration) {
    auto result = std::numeric_limits<double>::quiet_NaN();
    for (const auto& [at, score] : x.winner.curve) {
      if (at <= iteration)
        result = std::fmax(result, score);
    }
    return result;
  };
  std::map<std::uint64_t, double> known;
  std::size_t stopped = 0, ahead = 0;
  const study_trial* first = nullptr;
  for (const auto& trial : x.trials) {
    if (trial.fate != trial_fate::stopped || std::isnan(trial.how.score))
      continue;
    ++stopped;
    auto [at, is_new] = known.try_emplace(trial.iterations, 0);
    if (is_new)
      at->second = winner_at(trial.iterations);
    // What it had when it was stopped counts, not what it had had before.
    if (!trial.ends_best || trial.how.violation > 0 || !(trial.how.score > at->second))
      continue;
    ++ahead;
    if (first == nullptr || trial.how.score > first->how.score)
      first = &trial;
  }
  if (ahead == 0)
    return {};
  return {{"stopped_ahead", counted(ahead, "trial") + " may have been stopped too early",
           of_text(ahead, stopped)
               + " stopped trials were better than the winner was after as many "
               + "iterations; of them trial " + to_text(first->trial) + " had come to "
               + number_text(metric_of(x, first->how.score)) + " at iteration "
               + std::to_string(first->iterations) + ", the winner to "
               + number_text(metric_of(x, known[first->iterations]))
               + ". A longer grace period, or retry of these, would tell."}};
}

findings lead_within_noise(const study& x) {
  const auto lead = lead_of(x);
  if (!lead || lead->is_clear)
    return {};
  if (lead->is_measured)
    return {{"lead_within_noise", "The lead is no larger than noise",
             (lead->by < 0 ? "The second configuration has the better mean, by "
                           : std::string{"The best configuration leads "}
                                 + (is_judged_by_mean(x.runs[0]) ? "by " : "in the mean by "))
                 + number_text(std::abs(lead->by)) + ", with a standard error of "
                 + number_text(lead->noise)
                 + ". More runs of the best few (confirm, confirm_runs) would tell them apart."}};
  if (lead->by == 0)
    return {{"noise_unknown", "Whether the winner is better or was lucky is not known",
             "Neither repeat nor confirm measured noise, and the second is exactly as good. Run "
             "the best few again: [experiment] confirm = 3."}};
  return {{"noise_unknown", "Whether the winner is better or was lucky is not known",
           "Neither repeat nor confirm measured noise, and its lead over the second, "
               + number_text(lead->by) + ", is no more than the spread of the next best ("
               + number_text(lead->noise)
               + "). Run the best few again: [experiment] confirm = 3."}};
}

findings all_findings(const study& x) {
  constexpr std::array rules{nothing_measured,   constraint_missed,   failing_regions,
                             edges_of_ranges,    winner_was_learning, stopped_ahead,
                             rising_or_standing, lead_within_noise,   few_for_dimensions,
                             idle_parameters};
  findings result;
  for (const auto& rule : rules) {
    for (auto& found : rule(x))
      result.push_back(std::move(found));
  }
  return result;
}

} // namespace tune::cli
