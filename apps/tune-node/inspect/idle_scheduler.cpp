// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/idle_scheduler.hpp"

#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/schedule/wording.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

namespace tune::cli {

namespace {

constexpr const char* seconds_trained = "time_total_s";
constexpr const char* iterations_trained = "training_iteration";

/// The keys that say how long a trial trains before it is judged: the greatest counts.
std::vector<std::string> waiting_keys(const std::string& rule) {
  if (rule == "asha" || rule == "median_stopping")
    return {"grace_period"};
  if (rule == "pbt")
    return {"perturbation_interval", "burn_in_period"};
  if (rule == "pb2")
    return {"perturbation_interval"};
  return {};
}

/// The options of the scheduler that `resource_changing` leaves judging to.
std::map<std::string, std::string>
options_of_base(const std::map<std::string, std::string>& written) {
  constexpr std::string_view prefix = "base.";
  std::map<std::string, std::string> result;
  for (const auto& [name, text] : written) {
    if (name.starts_with(prefix))
      result.emplace(name.substr(prefix.size()), text);
  }
  return result;
}

std::string unit_text(const std::string& time_attr) {
  if (time_attr == seconds_trained)
    return "seconds of time_total_s";
  return time_attr == iterations_trained ? "iterations" : "in " + time_attr;
}

/// How long a trial trained by its last report; nothing where that does not say so.
std::optional<double> trained_in(const trial_row& of, const std::string& time_attr) {
  if (!of.metrics)
    return {};
  if (time_attr == seconds_trained)
    return std::chrono::duration<double>(of.time_total).count();
  if (time_attr == iterations_trained)
    return static_cast<double>(of.iterations);
  const auto* found = find_path(*of.metrics, time_attr);
  return found == nullptr ? std::nullopt : found->number();
}

/// How long the trial trained that trained longest, or one that trained for `enough`; nothing where
/// none says so.
std::optional<double> longest_training(store_reader& from, const std::string& time_attr,
                                       double enough) {
  trial_query next;
  next.limit = 1'000;
  std::optional<double> result;
  for (;;) {
    const auto rows = from.trials(next);
    if (!rows)
      return {};
    for (const auto& x : *rows) {
      if (const auto trained = trained_in(x, time_attr))
        result = std::max(result.value_or(*trained), *trained);
    }
    if (rows->size() < next.limit || (result && *result >= enough))
      return result;
    next.offset += next.limit;
  }
}

/// Whether one of the first decisions is the rule's. Stop conditions decide as well.
bool has_decided(store_reader& from, const std::string& rule) {
  const auto first = from.decisions_after({});
  if (!first)
    return true;
  return std::any_of(first->begin(), first->end(), [&](const decision_row& x) {
    const auto* by = x.reason.find("rule");
    return by != nullptr && *by == value{rule};
  });
}

} // namespace

std::optional<first_judgement> first_judgement_of(const spec& what) {
  auto rule = what.scheduler.type;
  auto written = option_texts(what.scheduler.options);
  if (rule == "resource_changing") {
    const auto base = written.find("base");
    rule = base == written.end() ? std::string{} : base->second;
    written = options_of_base(written);
  }
  const auto keys = waiting_keys(rule);
  const auto all = builtin_schedulers();
  const auto* entry = all.find(rule);
  if (keys.empty() || entry == nullptr)
    return {};
  const auto known = options::parse(entry->known, written);
  if (!known)
    return {};
  first_judgement result{rule, keys.front(), known->text("time_attr"), known->number(keys.front())};
  for (const auto& key : keys) {
    if (known->number(key) > result.at) {
      result.key = key;
      result.at = known->number(key);
    }
  }
  return result;
}

std::string idle_scheduler_text(const first_judgement& x, double longest) {
  return x.rule + " judged no trial: none trained for " + x.key + " = " + brief(x.at) + " ("
         + unit_text(x.time_attr) + "), the longest for " + brief(longest)
         + (x.time_attr == seconds_trained ? "; time_attr = training_iteration counts iterations"
                                           : "");
}

std::string idle_scheduler_text(store_reader& from) {
  const auto row = from.experiment();
  const auto what = row ? spec_from_json(row->spec) : row.error();
  const auto first = what ? first_judgement_of(*what) : std::nullopt;
  if (!first)
    return {};
  if (has_decided(from, first->rule))
    return {};
  const auto longest = longest_training(from, first->time_attr, first->at);
  return longest && *longest < first->at ? idle_scheduler_text(*first, *longest) : std::string{};
}

} // namespace tune::cli
