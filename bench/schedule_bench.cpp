/// Measures the time of schedulers per report and per choice among many live trials.
///
///   tune_schedule_bench [TRIALS] [NAME...]
///
/// TRIALS (100,000) trials are chosen one by one and started; then each running trial reports in
/// turn, five times. The cost of a report includes its fact, its judgement, the record of the
/// judgement, and its effects (pauses, ends, trials allowed to go on). An answer that is computed
/// apart from other verdicts costs only the time to hand it over; such answers are counted as
/// `deferred` and never arrive here. When no trial runs any more, all wait for each other: that
/// decision and its effects are a `stall`.
///
/// Prints one JSON object per scheduler, times in nanoseconds: mean of all reports, barriers
/// included, the median, which is the ordinary report, and high quantiles.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "tune/core/rng.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/space/space.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace tune;
using clock_type = std::chrono::steady_clock;

/// A scheduler and the options to measure it with; other options have their defaults.
struct candidate {
  std::string name;
  std::string type;
  std::map<std::string, std::string> options;
};

/// Every shipped scheduler. Those whose defaults do not work here, or that are measured in more
/// than one form, are listed with their options.
std::vector<candidate> candidates() {
  std::vector<candidate> result;
  for (const auto& name : builtin_schedulers().names()) {
    // pbt_replay trains a single trial.
    if (name != "pbt_replay")
      result.push_back({name, name, {}});
  }
  result.push_back({"hyperband_open", "hyperband", {{"stop_last_trials", "false"}}});
  result.push_back({"asha_promotion", "asha", {{"form", "promotion"}}});
  // With the defaults these would judge nothing before iteration 60.
  std::map<std::string, std::string> each{{"time_attr", "training_iteration"},
                                          {"perturbation_interval", "1"}};
  result.push_back({"pbt_each", "pbt", each});
  result.push_back({"pb2_each", "pb2", each});
  auto together = each;
  together["synch"] = "true";
  result.push_back({"pbt_synch", "pbt", together});
  std::map<std::string, std::string> counts{{"time_attr", "training_iteration"},
                                            {"grace_period", "1"}};
  result.push_back({"median_stopping_hard", "median_stopping", counts});
  counts["hard_stop"] = "false";
  result.push_back({"median_stopping_soft", "median_stopping", counts});
  result.push_back(
      {"resource_changing_asha", "resource_changing", {{"base", "asha"}, {"base.max_t", "81"}}});
  std::map<std::string, std::string> over{{"base", "pbt"}};
  for (const auto& [key, text] : each)
    over["base." + key] = text;
  result.push_back({"resource_changing_pbt", "resource_changing", over});
  return result;
}

double nanoseconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::nano>(clock_type::now() - begin).count();
}

/// Quantile `q` of sorted numbers; 0 if there are none.
double at(const std::vector<double>& sorted, double q) {
  if (sorted.empty())
    return 0;
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

double mean(const std::vector<double>& of) {
  auto sum = 0.0;
  for (auto x : of)
    sum += x;
  return of.empty() ? 0 : sum / static_cast<double>(of.size());
}

/// Plays an experiment in which every answer is carried out at once.
class player {
public:
  player(std::unique_ptr<scheduler> rule, std::uint64_t trials)
      : rule_{std::move(rule)}, running_(trials, false) {}

  /// Starts all trials. @returns nanoseconds per trial: for choosing it, and the record of the
  /// choice.
  std::vector<double> start_all() {
    for (std::uint64_t i = 0; i < running_.size(); ++i)
      tell(fact::added{{i}, std::make_shared<object>(object{{"x", 0.5}}), false});
    std::vector<double> result;
    for (std::uint64_t i = 0; i < running_.size(); ++i) {
      auto begin = clock_type::now();
      auto who = rule_->choose(seq_, 1);
      tell(fact::chosen{who, {}});
      result.push_back(nanoseconds_since(begin));
      for (auto trial : who.start)
        start(trial);
    }
    return result;
  }

  /// Lets each running trial report once. @returns nanoseconds per report.
  std::vector<double> round(std::uint64_t iteration) {
    iteration_ = iteration;
    std::vector<double> result;
    auto metrics = std::make_shared<report>();
    metrics->iteration = iteration;
    metrics->metrics = std::make_shared<object>(object{{"score", 0.5}});
    for (std::uint64_t i = 0; i < running_.size(); ++i) {
      if (!running_[i])
        continue;
      fact::result what;
      what.trial = {i};
      what.iteration = iteration;
      what.scores = {rng{1, "bench.score", i}.unit()};
      what.time = static_cast<double>(iteration);
      what.full = metrics;
      auto begin = clock_type::now();
      tell(std::move(what));
      if (rule_->judge_later(seq_, {i}))
        ++deferred_;
      else
        take(rule_->judge(seq_, {i}));
      result.push_back(nanoseconds_since(begin));
    }
    return result;
  }

  /// Starts the trials that the scheduler chooses; if none runs, resolves the stall first.
  void refill() {
    if (std::find(running_.begin(), running_.end(), true) == running_.end()) {
      auto begin = clock_type::now();
      take(rule_->on_stall(seq_));
      stall_ = std::max(stall_, nanoseconds_since(begin));
    }
    for (auto who = rule_->choose(seq_, 1000); !who.start.empty();
         who = rule_->choose(seq_, 1000)) {
      tell(fact::chosen{who, {}});
      for (auto trial : who.start)
        start(trial);
    }
  }

  [[nodiscard]] std::uint64_t deferred() const { return deferred_; }
  /// The longest stall. [ns]
  [[nodiscard]] double stall() const { return stall_; }

private:
  std::unique_ptr<scheduler> rule_;
  std::vector<bool> running_;
  std::uint64_t deferred_ = 0;
  double stall_ = 0;
  sequence seq_ = 0;
  std::uint64_t iteration_ = 0;

  void tell(decltype(scheduler_fact::what) what) {
    rule_->apply({++seq_, instant{static_cast<std::int64_t>(seq_)}, std::move(what)});
  }

  void take(const decision& answer) {
    tell(fact::decided{answer, {}});
    for (const auto& x : answer.actions)
      carry_out(x);
  }

  void start(trial_id trial) {
    running_[trial.number] = true;
    tell(fact::started{trial});
  }

  void carry_out(const action& what) {
    auto trial = what.trial;
    if (std::holds_alternative<stop>(what.what)) {
      fact::ended end;
      end.trial = trial;
      end.how = fact::end_kind::stopped;
      end.judged = true;
      running_[trial.number] = false;
      tell(std::move(end));
    } else if (std::holds_alternative<tune::pause_trial>(what.what)) {
      running_[trial.number] = false;
      tell(fact::paused{trial, {seq_}});
    } else if (std::holds_alternative<allow>(what.what)) {
      tell(fact::unpaused{trial});
    } else if (std::holds_alternative<save>(what.what)) {
      tell(fact::saved{trial, {seq_}, iteration_});
    } else if (const auto* due_exploit = std::get_if<exploit>(&what.what)) {
      running_[trial.number] = false;
      tell(fact::added{trial, due_exploit->config, true});
    }
  }
};

bool measure(const candidate& what, std::uint64_t trials) {
  auto all = builtin_schedulers();
  const auto* entry = all.find(what.type);
  auto options = options::parse(entry->known, what.options);
  scheduler_context context;
  context.seed = 1;
  context.space
      = std::make_shared<const search_space>(*search_space::parse({{"x", "uniform(0, 1)"}}));
  auto rule = entry->make(*options, context);
  if (!rule) {
    std::cerr << what.name << ": " << rule.error().detail << '\n';
    return false;
  }
  player uut{std::move(*rule), trials};
  auto choices = uut.start_all();
  std::vector<double> reports;
  for (std::uint64_t iteration = 1; iteration <= 5; ++iteration) {
    auto more = uut.round(iteration);
    reports.insert(reports.end(), more.begin(), more.end());
    uut.refill();
  }
  auto per_report = mean(reports);
  auto per_choice = mean(choices);
  std::sort(reports.begin(), reports.end());
  std::sort(choices.begin(), choices.end());
  std::cout << "{\"bench\":\"schedule\",\"scheduler\":\"" << what.name << "\",\"trials\":" << trials
            << ",\"reports\":" << reports.size() << ",\"report_mean_ns\":" << per_report
            << ",\"report_median_ns\":" << at(reports, 0.5)
            << ",\"report_p99_ns\":" << at(reports, 0.99)
            << ",\"report_most_ns\":" << at(reports, 1) << ",\"deferred\":" << uut.deferred()
            << ",\"stall_most_ns\":" << uut.stall() << ",\"choice_mean_ns\":" << per_choice
            << ",\"choice_p99_ns\":" << at(choices, 0.99) << "}" << std::endl;
  return true;
}

} // namespace

int main(int argc, char** argv) {
  bench::arguments given{argc, argv, "[TRIALS] [SCHEDULER...]"};
  const auto trials = given.number(100'000, 1);
  const auto names = given.words();
  given.finish();
  const auto all = candidates();
  for (const auto& name : names) {
    if (std::none_of(all.begin(), all.end(), [&](const auto& x) { return x.name == name; }))
      given.refuse("no scheduler " + name);
  }
  auto whole = true;
  for (const auto& x : all) {
    if (names.empty() || std::find(names.begin(), names.end(), x.name) != names.end())
      whole = measure(x, trials) && whole;
  }
  return whole ? 0 : 1;
}
