// SPDX-License-Identifier: BSD-3-Clause
#include "support/grown_record.hpp"

#include "tune/io/spec/record.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tune::support {

namespace {

experiment_store created(const std::filesystem::path& directory) {
  auto result = experiment_store::create(directory);
  if (!result) {
    std::fprintf(stderr, "grown_record: %s\n", result.error().detail.c_str());
    std::abort();
  }
  return std::move(*result);
}

/// A number that looks drawn. [0, 1)
double part_of(std::uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  x ^= x >> 31U;
  return static_cast<double>((x * 0x94d049bb133111ebU) >> 11U) * 0x1p-53;
}

config_ptr config_of(std::uint64_t trial) {
  constexpr const char* optimizers[] = {"adam", "sgd", "rmsprop"};
  return std::make_shared<const object>(object{{"lr", std::pow(10.0, -4 * part_of(trial))},
                                               {"layers", static_cast<std::int64_t>(1 + trial % 8)},
                                               {"optimizer", optimizers[trial % 3]}});
}

} // namespace

spec grown_spec(const std::string& name) {
  spec result;
  result.experiment.name = name;
  result.experiment.maximise = false;
  result.experiment.objectives = {{"loss", false}};
  result.space = {{"lr", "loguniform(1e-4, 1)"},
                  {"layers", "randint(1, 9)"},
                  {"optimizer", "choice(adam, sgd, rmsprop)"}};
  result.search.type = "random";
  result.scheduler.type = "asha";
  result.scheduler.options = {{"max_t", "9"}};
  return result;
}

grown_record::grown_record(const std::filesystem::path& directory, growth how, const spec& what)
    : how_{how}, store_{created(directory)} {
  post(on::opened{1, "0.1.0", to_json(what), 7});
  post(on::node_up{"node-a", {amount::of(8), {}, 0, {}}});
  flush();
}

double grown_record::loss_of(std::uint64_t trial, std::uint64_t iteration) {
  return part_of(trial * 7 + 1) + 1.0 / static_cast<double>(iteration);
}

bool grown_record::is_stopped(std::uint64_t trial) {
  return trial % 3 != 0 && trial % 12 >= 6;
}

sequence grown_record::post(event_body what) {
  if (events_ >= how_.batch)
    flush();
  items_.emplace_back(event{++seq_, std::chrono::milliseconds{seq_}, std::move(what)});
  ++events_;
  return seq_;
}

void grown_record::flush() {
  if (auto written = store_.write(items_); !written) {
    std::fprintf(stderr, "grown_record: %s\n", written.error().detail.c_str());
    std::abort();
  }
  items_.clear();
  events_ = 0;
}

void grown_record::begin_trial() {
  const auto number = next_++;
  row_ = {};
  attempt_ = {};
  row_.trial = attempt_.trial = {number};
  row_.config = attempt_.config = config_of(number);
  row_.origin = "random";
  row_.status = trial_status::running;
  attempt_.attempt = {1, number + 1};
  attempt_.node = "node-a";
  attempt_.began = std::chrono::milliseconds{seq_ + 1};
  post(on::suggested{number + 1, std::vector<suggestion>{{row_.config, row_.origin}}});
  items_.emplace_back(seq_, row_);
  post(on::placed{
      row_.trial, attempt_.attempt, {{number + 1}, {{"node-a", {amount::of(1), {}, 0, {}}, {}}}}});
  items_.emplace_back(seq_, row_);
  items_.emplace_back(seq_, attempt_);
}

void grown_record::report_at(std::uint64_t iteration) {
  auto made = std::make_shared<report>();
  const auto trial = row_.trial.number;
  made->trial = row_.trial;
  made->attempt = attempt_.attempt;
  made->number = made->iteration = iteration;
  made->time_this_iter = std::chrono::milliseconds{100};
  made->time_total = std::chrono::milliseconds{100} * iteration;
  made->timestamp_ms = 1'700'000'000'000 + static_cast<std::int64_t>(seq_);
  made->pid = 4711;
  made->metrics
      = std::make_shared<const object>(object{{"loss", loss_of(trial, iteration)},
                                              {"accuracy", 1 / (1 + loss_of(trial, iteration))},
                                              {"epoch", static_cast<std::int64_t>(iteration)}});
  row_.last = row_.best = made;
  post(on::reported{made});
  items_.emplace_back(seq_, cmd::trial_progressed{row_.trial, made, made});
}

void grown_record::report_once() {
  report_at(row_.last == nullptr ? 1 : row_.last->iteration + 1);
}

void grown_record::report_again() {
  report_at(row_.last->iteration);
}

void grown_record::decide_stop(sequence cause) {
  const auto loss = loss_of(row_.trial.number, how_.stop_at);
  object reason{
      {"rule", "asha"}, {"bracket", 0},  {"rung", static_cast<std::int64_t>(how_.stop_at)},
      {"cutoff", 0.6},  {"value", loss}, {"why", "is above the cutoff"}};
  post(on::decided{{{cause, {{row_.trial, stop{}, reason}}}}});
  items_.emplace_back(
      seq_, cmd::decision_taken{row_.trial, attempt_.attempt, how_.stop_at, "stop", reason});
}

void grown_record::end_trial(end_class how, const std::string& reason) {
  post(on::ended{row_.trial, attempt_.attempt, how, "", is_failure(how) ? 1 : 0});
  row_.status = is_failure(how) ? trial_status::errored : trial_status::terminated;
  row_.reason = reason;
  attempt_.finished = std::chrono::milliseconds{seq_};
  attempt_.how = how;
  if (is_failure(how)) {
    row_.failures = 1;
    row_.error = attempt_.detail = "ValueError: <b>no</b>";
  }
  items_.emplace_back(seq_, row_);
  items_.emplace_back(seq_, attempt_);
}

void grown_record::end_from_outside() {
  end_trial(end_class::stopped, "stopped by a client");
}

void grown_record::retry_and_stop() {
  post(on::retry_asked{row_.trial, row_.config, row_.origin, false});
  row_.status = trial_status::pending;
  row_.reason = "again";
  items_.emplace_back(seq_, row_);
  row_.reason = "stopped by a client";
  post(on::stop_asked{row_.trial, row_.reason});
  row_.status = trial_status::terminated;
  items_.emplace_back(seq_, row_);
}

void grown_record::write_trial() {
  begin_trial();
  const auto number = row_.trial.number;
  if (how_.fails_each != 0 && number % how_.fails_each == how_.fails_each - 1)
    return end_trial(end_class::user_error, "exit status 1");
  for (std::uint64_t i = 1; i <= how_.reports; ++i) {
    report_at(i);
    if (i == how_.stop_at && is_stopped(number)) {
      decide_stop(seq_);
      return end_trial(end_class::stopped, "stopped by asha");
    }
  }
  if (how_.fails_late)
    return end_trial(end_class::user_error, "exit status 1");
  end_trial(end_class::finished, "finished");
}

void grown_record::write_all() {
  while (next_ < how_.trials)
    write_trial();
  flush();
}

void grown_record::finish() {
  items_.emplace_back(seq_, cmd::finish{experiment_status::done, ""});
  flush();
}

} // namespace tune::support
