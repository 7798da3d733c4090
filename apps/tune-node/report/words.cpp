// SPDX-License-Identifier: BSD-3-Clause
#include "report/words.hpp"

#include "console/human.hpp"
#include "console/later_failure.hpp"
#include "report/lead.hpp"

#include <algorithm>
#include <cmath>

namespace tune::cli {

namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i)
    result += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return result;
}

std::string budget_text(const study& x) {
  std::vector<std::string> limits;
  if (x.wanted > 0)
    limits.push_back((x.wants_at_most ? "at most " : "") + counted(x.wanted, "configuration")
                     + (x.runs_each > 1 ? " of " + counted(x.runs_each, "run") + " each" : ""));
  if (x.time_limit_s > 0)
    limits.push_back(seconds_text(x.time_limit_s));
  return limits.empty() ? "without a limit of trials or time"
                        : "with a budget of " + joined(limits);
}

std::string status_text(const study& x) {
  auto result = x.status;
  std::replace(result.begin(), result.end(), '_', ' ');
  return x.why.empty() || x.why == result ? result : result + " (" + x.why + ")";
}

std::string noise_text(const study& x) {
  const auto lead = lead_of(x);
  if (lead && lead->by == 0)
    return "The second is exactly as good: which of them won is chance.";
  const auto ranked = ranked_trials(x);
  if (!lead && x.runs.empty() && ranked.size() > 4 && x.trials[ranked[4]].how.violation > 0)
    return "Too few trials keep the constraints to say how much of that is chance.";
  if (!lead)
    return x.runs.empty() ? "There are too few trials to say how much of that is chance."
                          : "No second configuration with several runs can be compared with it.";
  if (lead->by < 0)
    return "The second has the better mean, by " + number_text(-lead->by)
           + ", with a standard error of " + number_text(lead->noise) + ": the winner "
           + (x.runs[0].confirms && !x.runs[1].confirms
                  ? "comes first since its runs confirm it."
                  : "comes first by the " + judge_text(x.runs[0]) + ".");
  if (lead->is_measured)
    return (is_judged_by_mean(x.runs[0]) ? "It leads the second by "
                                         : "It comes first by the " + judge_text(x.runs[0])
                                               + "; by the mean it leads the second by ")
           + number_text(lead->by) + ", with a standard error of " + number_text(lead->noise)
           + (lead->is_clear ? ": more than noise explains."
                             : ": no more than noise explains, so the second may be as good.");
  return "It leads the second trial by " + number_text(lead->by)
         + ". Neither repeat nor confirm measured noise; the next four are spread by "
         + number_text(lead->noise) + " (standard deviation), which is "
         + (lead->is_clear ? "less than the lead." : "no less than the lead: it may be luck.");
}

/// Which trial won, and with what. Of trials that all miss the constraints that one wins which
/// misses them least: others may have better values.
std::string winner_text(const study& x, const study_trial& best) {
  const auto misses = !x.winner.misses.empty();
  const auto what = number_text(metric_of(x, best.how.score)) + ", at iteration "
                    + std::to_string(x.winner.iteration) + " of " + std::to_string(best.iterations)
                    + ", with " + x.winner.config + ".";
  if (!x.runs.empty())
    return "Trial " + trial_text(best) + " is the best run of the best configuration, with "
           + x.metric + " " + what + (misses ? " It misses " + x.winner.misses + "." : "");
  if (misses)
    return "No trial keeps all constraints; trial " + trial_text(best) + " misses the least ("
           + x.winner.misses + "), with " + x.metric + " " + what;
  return "Trial " + trial_text(best) + " has the best " + x.metric + ": " + what;
}

/// The importances, the largest first.
std::vector<const study_parameter*> by_importance(const study& x) {
  std::vector<const study_parameter*> result;
  for (const auto& p : x.parameters) {
    if (p.importance)
      result.push_back(&p);
  }
  std::stable_sort(result.begin(), result.end(), [](const auto* a, const auto* b) {
    return a->importance->share > b->importance->share;
  });
  return result;
}

std::string saved_text(const study& x) {
  const auto& cost = x.cost;
  if (!cost.without_s || !cost.iterations_without || *cost.iterations_without == 0)
    return std::any_of(x.trials.begin(), x.trials.end(),
                       [](const study_trial& y) { return y.fate == trial_fate::ended; })
               ? "No rule stopped anything early, so nothing was saved by it."
               : "Nothing was stopped early, so nothing was saved by it.";
  const auto saved
      = 1 - static_cast<double>(cost.iterations) / static_cast<double>(*cost.iterations_without);
  return "Early stopping saved about " + share_text(saved, 1) + " of the iterations: without it, "
         + std::to_string(*cost.iterations_without) + " in place of "
         + std::to_string(cost.iterations) + ", and about " + seconds_text(*cost.without_s)
         + " of training in place of " + seconds_text(cost.spent_s)
         + " (each stopped trial taken to the end at its own pace; an estimate).";
}

/// What attempts trained beside what their trials came to; empty: no more than 1 % of it.
std::string redone_text(const study& x) {
  const auto& cost = x.cost;
  auto shows = [&cost](double part) { return part > 0.01 * cost.attempts_s; };
  auto part_text = [&cost](double part) {
    return seconds_text(part) + " of it (" + share_text(part, cost.attempts_s) + ")";
  };
  std::vector<std::string> parts;
  if (shows(cost.given_up_s))
    parts.push_back(part_text(cost.given_up_s) + " was given up for other trials' checkpoints");
  if (shows(cost.done_again_s))
    parts.push_back(
        (parts.empty() ? part_text(cost.done_again_s)
                       : seconds_text(cost.done_again_s) + " ("
                             + share_text(cost.done_again_s, cost.attempts_s) + ")")
        + " was done again, since attempts failed, were stopped, were preempted or lost their "
          "head before they could save it");
  const auto counts_twice = cost.has_clones && shows(std::abs(cost.attempts_s - cost.spent_s));
  if (parts.empty() && !counts_twice)
    return {};
  auto result = "In all, attempts trained " + seconds_text(cost.attempts_s) + " and made "
                + counted(cost.reports, "report");
  if (parts.size() == 1)
    result += ": " + parts.front();
  else if (!parts.empty())
    result += ": " + parts.front() + ", and " + parts.back();
  result += ".";
  return cost.has_clones ? result
                               + " Trials that took over another trial's checkpoint count its "
                                 "training as theirs."
                         : result;
}

/// Which part went into trials that never had a number; empty: there is no such trial.
std::string wasted_text(const study& x, double iterations) {
  std::uint64_t trials = 0, wasted = 0;
  for (const auto& trial : x.trials) {
    if (!never_had_a_number(trial))
      continue;
    ++trials;
    wasted += trial.iterations;
  }
  if (trials == 0)
    return {};
  return std::to_string(trials) + " of " + std::to_string(x.trials.size())
         + (x.trials.size() == 1 ? " trial" : " trials") + " never had a number other than NaN for "
         + x.metric + ": " + share_text(static_cast<double>(wasted), iterations)
         + " of the iterations went into " + (trials == 1 ? "it." : "them.");
}

} // namespace

std::string seconds_text(double seconds) {
  return duration_text(std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)});
}

std::string share_text(double part, double whole) {
  if (!(whole > 0))
    return "–";
  return number_text(std::round(1000 * part / whole) / 10) + " %";
}

std::string fate_text(trial_fate x) {
  switch (x) {
    case trial_fate::finished:
      return "ran to their end";
    case trial_fate::stopped:
      return "stopped by the scheduler";
    case trial_fate::ended:
      return "ended from outside";
    case trial_fate::failed:
      return "failed";
    case trial_fate::running:
      return "running";
    case trial_fate::paused:
      return "paused";
    case trial_fate::interrupted:
      return "interrupted, to go on";
    case trial_fate::pending:
      break;
  }
  return "not begun";
}

std::array<spent_share, trial_fate_count> spent_by_fate(const study& x) {
  std::array<spent_share, trial_fate_count> result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i].fate = static_cast<trial_fate>(i);
  for (const auto& trial : x.trials) {
    auto& to = result[static_cast<std::size_t>(trial.fate)];
    ++to.trials;
    to.without_number += never_had_a_number(trial) ? 1 : 0;
    to.iterations += trial.iterations;
    to.time_s += trial.time_s;
  }
  return result;
}

paragraphs searched_words(const study& x) {
  const auto fixed = std::count_if(x.parameters.begin(), x.parameters.end(), [](const auto& p) {
    return p.what == study_parameter::kind::fixed;
  });
  const auto searched = x.parameters.size() - static_cast<std::size_t>(fixed);
  auto text = "The aim was to " + x.objectives
              + (x.constraints.empty() ? "" : ", subject to " + x.constraints) + ", over "
              + counted(searched, "parameter")
              + (fixed > 0 ? " and " + counted(static_cast<std::uint64_t>(fixed), "constant") : "")
              + ". Searcher: " + x.searcher + ", with seed " + std::to_string(x.seed)
              + "; scheduler: " + x.scheduler + ".";
  auto run = "It ran " + budget_text(x) + ", for " + seconds_text(x.elapsed_s) + " on "
             + counted(x.nodes, "node") + ", and made " + counted(x.trials.size(), "trial")
             + ". Its state: " + status_text(x) + ".";
  return {std::move(text), std::move(run)};
}

std::string trial_text(const study_trial& x) {
  const auto later = x.fate == trial_fate::failed ? later_failure(trial_status::errored) : "";
  return to_text(x.trial) + std::string{later};
}

paragraphs won_words(const study& x) {
  if (!x.winner.place)
    return {"No trial has a value of " + x.metric + "."};
  const auto& best = x.trials[*x.winner.place];
  auto text = winner_text(x, best);
  if (!x.winner.checkpoint.empty())
    text += " The checkpoint kept for it is " + x.winner.checkpoint + ", of iteration "
            + std::to_string(x.winner.checkpoint_iteration) + ".";
  paragraphs result{std::move(text)};
  if (x.front > 0)
    result.push_back("There are several objectives, of which this is the first: "
                     + counted(x.front, "trial") + (x.front == 1 ? " is" : " are")
                     + " on the Pareto front, beaten by no other in all of them.");
  if (!x.runs.empty())
    result.push_back("Its configuration: " + runs_text(x.runs.front()) + ".");
  result.push_back(noise_text(x));
  return result;
}

paragraphs mattered_words(const study& x) {
  if (!x.no_importance.empty())
    return {"Which parameters mattered cannot be told: " + x.no_importance + "."};
  std::vector<std::string> mattered, idle, rare;
  for (const auto& p : x.parameters) {
    if (p.rare)
      rare.push_back(p.name);
  }
  for (const auto* p : by_importance(x)) {
    const auto share = share_text(p->importance->share, 1);
    if (!p->importance->more_than_chance)
      idle.push_back(p->name + " (" + share + ")");
    else
      mattered.push_back(
          p->name + " (" + share
          + (p->importance->best.empty() ? "" : "; the best have " + p->importance->best) + ")");
  }
  if (mattered.empty() && idle.empty())
    return {"Which parameters mattered is not known."};
  paragraphs result;
  result.push_back(mattered.empty() ? "No parameter made more difference than chance would."
                                    : "What made a difference, by "
                                          + (x.importance_by == "model"
                                                 ? std::string{"a model of the results"}
                                                 : std::string{"where the best are (PED-ANOVA)"})
                                          + ": " + joined(mattered) + ".");
  if (!idle.empty())
    result.push_back("No more than chance: " + joined(idle) + ".");
  if (!rare.empty())
    result.push_back("Too few configurations have " + joined(rare) + " to tell.");
  return result;
}

paragraphs spent_words(const study& x) {
  const auto shares = spent_by_fate(x);
  double iterations = 0, time = 0;
  for (const auto& each : shares) {
    iterations += static_cast<double>(each.iterations);
    time += each.time_s;
  }
  if (!(iterations > 0))
    return {"No trial reported an iteration."};
  std::vector<std::string> parts;
  for (const auto& each : shares) {
    if (each.trials > 0 && each.iterations > 0)
      parts.push_back(
          share_text(static_cast<double>(each.iterations), iterations) + " into trials that "
          + (each.fate == trial_fate::stopped    ? "the scheduler stopped"
             : each.fate == trial_fate::ended    ? "were ended from outside, as by a client"
             : each.fate == trial_fate::failed   ? "failed"
             : each.fate == trial_fate::finished ? "ran to their end"
                                                 : "have not ended"));
  }
  paragraphs result{"Of " + number_text(iterations)
                    + (iterations < 2 ? " iteration and " : " iterations and ") + seconds_text(time)
                    + " of training went, by iterations, " + joined(parts) + "."};
  if (auto wasted = wasted_text(x, iterations); !wasted.empty())
    result.push_back(std::move(wasted));
  if (auto redone = redone_text(x); !redone.empty())
    result.push_back(std::move(redone));
  result.push_back(saved_text(x));
  return result;
}

} // namespace tune::cli
