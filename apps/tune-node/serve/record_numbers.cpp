// SPDX-License-Identifier: BSD-3-Clause
#include "serve/record_numbers.hpp"

#include "serve/prometheus_text.hpp"
#include "tune/core/trial/status.hpp"
#include "tune/io/control/control_client.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

namespace tune::cli {

namespace {

constexpr std::size_t attempts_per_scan = 8192;
/// A head answers at once, unless it is stopped.
constexpr std::chrono::milliseconds slots_patience{500};

/// "RUNNING" as "running".
std::string in_small_letters(std::string_view x) {
  std::string result{x};
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

/// A kind of costs as a metric.
struct cost_metric {
  cost_kind kind;
  const char* name;
  const char* type;
  const char* help;
};

constexpr std::array<cost_metric, cost_kind_count> cost_numbers{{
    {cost_kind::cpu_s, "tune_cpu_seconds_total", "counter",
     "CPU time of attempts that are over, user and system."},
    {cost_kind::gpu_s, "tune_gpu_seconds_total", "counter",
     "Time for which attempts that are over held GPUs, times their number."},
    {cost_kind::energy_j, "tune_energy_joules_total", "counter",
     "Energy of attempts that are over, as far as it was told."},
    {cost_kind::read_bytes, "tune_storage_read_bytes_total", "counter",
     "Bytes that attempts that are over read from storage."},
    {cost_kind::written_bytes, "tune_storage_written_bytes_total", "counter",
     "Bytes that attempts that are over wrote to storage."},
    {cost_kind::peak_rss_bytes, "tune_attempt_peak_memory_bytes", "gauge",
     "Most resident memory of any attempt that is over."},
    {cost_kind::peak_gpu_bytes, "tune_attempt_peak_gpu_memory_bytes", "gauge",
     "Most GPU memory of any attempt that is over, as far as it was told."},
}};

/// The costs of experiments, by their names; kinds that are known of none are left out.
std::string cost_text(const std::map<std::string, cost_sheet>& all) {
  std::string result;
  for (const auto& x : cost_numbers) {
    prometheus_text text{x.name, x.type, x.help};
    for (const auto& [experiment, costs] : all) {
      if (const auto amount = costs.of(x.kind))
        text.add(experiment, "", to_json(value{*amount}));
    }
    result += text.text();
  }
  return result;
}

std::string text_of(trial_status x) {
  return in_small_letters(to_text(x));
}

/// How much of each kind is free, and how much is granted.
void add_slots(const std::string& experiment, const resources& total, const resources& used,
               prometheus_text& to) {
  auto add = [&](const std::string& kind, double all, double granted) {
    const auto by = metric_label("kind", kind) + ",";
    to.add(experiment, by + metric_label("state", "used"), to_json(value{granted}));
    to.add(experiment, by + metric_label("state", "free"),
           to_json(value{std::max(all - granted, 0.0)}));
  };
  add("cpu", total.cpu.number(), used.cpu.number());
  add("gpu", total.gpu.number(), used.gpu.number());
  add("memory_bytes", static_cast<double>(total.memory), static_cast<double>(used.memory));
  for (const auto& [name, all] : total.custom) {
    const auto granted = used.custom.find(name);
    add("custom." + name, all.number(),
        granted == used.custom.end() ? 0 : granted->second.number());
  }
}

void add_changes(const std::string& experiment, const event_numbers& from, prometheus_text& to) {
  for (const auto& [change, count] : from.changes())
    to.add(experiment,
           metric_label("from", text_of(change.first)) + ","
               + metric_label("to", text_of(change.second)),
           std::to_string(count));
}

void add_histogram(const std::string& experiment, const time_histogram& from, prometheus_text& to) {
  if (from.count() == 0)
    return;
  const auto by = metric_label("experiment", experiment);
  for (std::size_t i = 0; i <= time_histogram::bounds.size(); ++i) {
    const auto bound
        = i < time_histogram::bounds.size() ? to_json(value{time_histogram::bounds[i]}) : "+Inf";
    to.line(by + "," + metric_label("le", bound), std::to_string(from.up_to(i)), "_bucket");
  }
  to.line(by, to_json(value{from.sum()}), "_sum");
  to.line(by, std::to_string(from.count()), "_count");
}

} // namespace

void record_numbers::add(const raw_attempt& what, attempt_sums& to) {
  ++to.outcomes[what.finished ? std::string{what.end_class} : "running"];
  if (what.costs.empty())
    return;
  if (const auto costs = object_from_json(what.costs))
    to.costs.add(cost_sheet::from(*costs));
}

bool record_numbers::sum_attempts(store_reader& from, numbers& to) {
  to.attempts = to.settled;
  auto after = to.settled_until;
  bool are_all_over = true;
  for (std::size_t count = attempts_per_scan; count == attempts_per_scan;) {
    auto some = from.scan_attempts(after, attempts_per_scan, [&](const raw_attempt& x) {
      after = x.attempt;
      add(x, to.attempts);
      are_all_over = are_all_over && x.finished.has_value();
      if (!are_all_over)
        return;
      add(x, to.settled);
      to.settled_until = x.attempt;
    });
    if (!some)
      return false;
    count = *some;
  }
  return true;
}

/// Only the head of an experiment knows what is granted.
void record_numbers::ask_head(const std::filesystem::path& directory, numbers& to) {
  to.slots.reset();
  if (!to.is_led)
    return;
  auto answer = ask_control(directory, {}, slots_patience);
  if (answer && answer->status)
    to.slots = {answer->status->total, answer->status->used};
}

bool record_numbers::look(const std::string& name, numbers& to) const {
  auto directory = place_.directory_of(name);
  auto from
      = directory ? store_reader::open(*directory) : expected<store_reader>{directory.error()};
  if (!from)
    return false;
  from->heed_locks_for(std::chrono::seconds{1});
  if (auto held = from->hold(); !held)
    return false;
  auto last = from->last_seq();
  if (!last)
    return false;
  const auto led = is_led(*directory);
  if (*last == to.last_seq && to.status != "running")
    return true;
  numbers fresh;
  fresh.last_seq = *last;
  auto row = from->experiment();
  if (!row)
    return false;
  fresh.created_ms = row->created_ms;
  if (to.created_ms == fresh.created_ms && to.last_seq <= fresh.last_seq) {
    fresh.settled = to.settled;
    fresh.settled_until = to.settled_until;
    fresh.log = to.log;
  }
  // Counters of what is over would never move.
  if ((led || fresh.log.has_begun()) && !fresh.log.look(*from))
    return false;
  if (!sum_attempts(*from, fresh))
    return false;
  fresh.status = row->status;
  fresh.is_led = led && row->status == "running";
  fresh.results = row->results;
  fresh.elapsed_s = std::chrono::duration<double>(row->elapsed).count();
  for (std::size_t i = 0; i < row->counts.size(); ++i)
    fresh.trials[in_small_letters(to_text(static_cast<trial_status>(i)))] = row->counts[i];
  // As everywhere, they are kept apart from those that ran.
  if (row->withdrawn > 0) {
    fresh.trials[in_small_letters(to_text(trial_status::terminated))] -= row->withdrawn;
    fresh.trials["withdrawn"] = row->withdrawn;
  }
  if (auto nodes = from->nodes()) {
    for (const auto& x : *nodes)
      ++fresh.nodes[x.up && led ? "up" : "down"];
  }
  std::error_code why;
  const auto bytes = std::filesystem::file_size(database_file(*directory), why);
  fresh.bytes = why ? 0 : bytes;
  ask_head(*directory, fresh);
  to = std::move(fresh);
  return true;
}

std::string record_numbers::text() {
  std::lock_guard guard{mutex_};
  prometheus_text running{"tune_experiment_running", "gauge",
                          "1 while somebody runs the experiment, else 0."};
  prometheus_text trials{"tune_trials", "gauge", "Trials by state."};
  prometheus_text attempts{"tune_trial_attempts_total", "counter",
                           "Attempts of trials by outcome."};
  prometheus_text results{"tune_results_total", "counter", "Reports in the record."};
  prometheus_text events{"tune_events_total", "counter", "Events in the record."};
  prometheus_text bytes{"tune_journal_bytes", "gauge", "Size of the record's database."};
  prometheus_text elapsed{"tune_experiment_seconds_total", "counter",
                          "Time that the experiment has run, at its last event."};
  prometheus_text nodes{"tune_nodes", "gauge", "Nodes that ever offered resources, by state."};
  prometheus_text changes{
      "tune_trial_transitions_total", "counter",
      "Changes of trials from one state to another, as far as this server saw."};
  prometheus_text decisions{"tune_scheduler_decision_seconds", "histogram",
                            "Time from a report until the scheduler had judged it, as far as this "
                            "server saw."};
  prometheus_text slots{"tune_slots", "gauge", "What the nodes of an experiment offer, by kind."};
  std::map<std::string, cost_sheet> costs;
  auto names = place_.names();
  if (names.size() > most_experiments)
    names.resize(most_experiments);
  for (const auto& name : names) {
    auto& x = known_[name];
    if (!look(name, x))
      continue;
    running.add(name, "", x.is_led ? "1" : "0");
    trials.add_all(name, "state", x.trials);
    attempts.add_all(name, "outcome", x.attempts.outcomes);
    costs[name] = x.attempts.costs;
    results.add(name, "", std::to_string(x.results));
    events.add(name, "", std::to_string(x.last_seq));
    bytes.add(name, "", std::to_string(x.bytes));
    elapsed.add(name, "", to_json(value{x.elapsed_s}));
    nodes.add_all(name, "state", x.nodes);
    add_changes(name, x.log, changes);
    add_histogram(name, x.log.decisions(), decisions);
    if (x.slots)
      add_slots(name, x.slots->first, x.slots->second, slots);
  }
  return running.text() + trials.text() + attempts.text() + results.text() + events.text()
         + bytes.text() + elapsed.text() + nodes.text() + changes.text() + decisions.text()
         + slots.text() + cost_text(costs);
}

} // namespace tune::cli
