/// Measures how many rows the experiment's database takes per second.
///
///   tune_store_bench [DIRECTORY] [RESULTS] [TRIALS] [BATCH]
///
/// DIRECTORY is made and removed again; BATCH is the number of events in one transaction.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "tune/io/json.hpp"
#include "tune/io/store/experiment_store.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace tune;
using clock_type = std::chrono::steady_clock;

[[noreturn]] void give_up(const error& why) {
  std::fprintf(stderr, "store_bench: %s\n", why.detail.c_str());
  std::exit(1);
}

/// Processor time of all threads of this process.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

/// Collects items into transactions, as the recorder would, and times only the writing.
class feeder {
public:
  feeder(experiment_store& to, std::size_t batch) : to_{to}, batch_{batch} {
    post(on::opened{1, "bench", "{}", 1});
    flush();
    writing_ = 0;
    cpu_ = 0;
  }

  sequence post(event_body what) {
    if (events_ == batch_)
      flush();
    items_.emplace_back(event{++seq_, std::chrono::microseconds{seq_}, std::move(what)});
    ++events_;
    return seq_;
  }
  template <class Row>
  void change(const Row& row) {
    items_.emplace_back(seq_, row);
  }
  void flush() {
    const auto begin = clock_type::now();
    const auto cpu = cpu_seconds();
    if (auto written = to_.write(items_); !written)
      give_up(written.error());
    writing_ += seconds_since(begin);
    cpu_ += cpu_seconds() - cpu;
    ++transactions_;
    items_.clear();
    events_ = 0;
  }
  double writing() const { return writing_; }
  double cpu() const { return cpu_; }
  std::size_t transactions() const { return transactions_; }
  sequence seq() const { return seq_; }

private:
  experiment_store& to_;
  std::size_t batch_;
  std::size_t events_ = 0;
  std::size_t transactions_ = 0;
  sequence seq_ = 0;
  double writing_ = 0;
  double cpu_ = 0;
  std::vector<store_item> items_;
};

std::shared_ptr<const report> a_report(std::uint64_t trial, std::uint64_t iteration,
                                       attempt_id attempt) {
  auto x = std::make_shared<report>();
  const auto step = static_cast<double>(iteration);
  x->trial = {trial};
  x->attempt = attempt;
  x->number = x->iteration = iteration;
  x->time_this_iter = std::chrono::microseconds{1234};
  x->time_total = std::chrono::microseconds{1234} * iteration;
  x->timestamp_ms = 1'700'000'000'000 + static_cast<std::int64_t>(iteration);
  x->pid = 4711;
  x->metrics
      = std::make_shared<const object>(object{{"loss", 1.0 / (step + 0.1)},
                                              {"accuracy", step / (step + 3.7)},
                                              {"epoch", static_cast<std::int64_t>(iteration)}});
  return x;
}

config_ptr a_config(std::uint64_t i) {
  return std::make_shared<const object>(object{{"lr", 0.1 / static_cast<double>(i + 1)},
                                               {"hidden", 128},
                                               {"optimizer", "adam"},
                                               {"dropout", 0.25}});
}

/// Writes reports of eight trials in turn. @returns reports per second of writing.
double write_results(feeder& to, std::size_t count) {
  constexpr std::uint64_t at_once = 8;
  for (std::size_t i = 0; i < count; ++i)
    to.post(on::reported{a_report(i % at_once, i / at_once + 1, {1, i % at_once + 1})});
  to.flush();
  return static_cast<double>(count) / to.writing();
}

/// A trial of one report, written in two halves.
struct short_trial {
  cmd::trial_changed row;
  cmd::attempt_changed attempt;

  void begin(feeder& to, std::uint64_t i) {
    const trial_id id{i};
    attempt.trial = row.trial = id;
    attempt.attempt = {1, i + 1};
    attempt.config = row.config = a_config(i);
    attempt.node = "node-a";
    row.origin = "random";
    to.post(on::suggested{i + 1, std::vector<suggestion>{{row.config, row.origin}}});
    to.change(row);
    to.post(
        on::placed{id, attempt.attempt, {{i + 1}, {{"node-a", {amount{10000}, {}, 0, {}}, {}}}}});
    to.change(attempt);
  }

  void end(feeder& to) {
    row.last = row.best = a_report(row.trial.number, 1, attempt.attempt);
    const auto seq = to.post(on::reported{row.last});
    to.post(on::decided{{{seq, {{row.trial, go_on{}, {}}}}}});
    to.post(on::ended{row.trial, attempt.attempt, end_class::finished, "", 0});
    row.status = trial_status::terminated;
    row.reason = "finished";
    attempt.finished = std::chrono::seconds{1};
    to.change(row);
    to.change(attempt);
  }
};

/// Writes trials of one report each: five events. A transaction ends between the halves, so that
/// the trial's and the attempt's row are written twice. @returns trials per second of writing.
double write_trials(feeder& to, std::size_t count, std::size_t batch) {
  const auto wave = std::max<std::size_t>(batch / 5, 1);
  for (std::size_t done = 0; done < count;) {
    std::vector<short_trial> now(std::min(wave, count - done));
    for (auto& x : now)
      x.begin(to, done++);
    to.flush();
    for (auto& x : now)
      x.end(to);
    to.flush();
  }
  return static_cast<double>(count) / to.writing();
}

/// @returns events decoded per second.
double read_all(const std::filesystem::path& directory) {
  auto from = store_reader::open(directory);
  if (!from)
    give_up(from.error());
  const auto begin = clock_type::now();
  sequence seen = 0;
  for (;;) {
    auto some = from->events_after(seen, 10'000);
    if (!some)
      give_up(some.error());
    if (some->empty())
      return static_cast<double>(seen) / seconds_since(begin);
    seen = some->back().seq;
  }
}

template <class Work>
object measured(const std::filesystem::path& directory, std::size_t batch, Work work) {
  std::filesystem::remove_all(directory);
  object result;
  {
    auto store = experiment_store::create(directory);
    if (!store)
      give_up(store.error());
    feeder to{*store, batch};
    result.set("per_second", work(to));
    result.set("events", static_cast<std::int64_t>(to.seq()));
    result.set("transactions", static_cast<std::int64_t>(to.transactions()));
    result.set("writing_s", to.writing());
    result.set("writing_cpu_s", to.cpu());
  }
  result.set("bytes",
             static_cast<std::int64_t>(std::filesystem::file_size(database_file(directory))));
  result.set("events_read_per_second", read_all(directory));
  std::filesystem::remove_all(directory);
  return result;
}

} // namespace

int main(int argc, char** argv) {
  bench::arguments given{argc, argv, "[DIRECTORY] [RESULTS] [TRIALS] [BATCH]"};
  const std::filesystem::path directory = given.word("store_bench.tmp");
  const auto results = given.number(500'000);
  const auto trials = given.number(100'000);
  const auto batch = given.number(2'000, 1);
  given.finish();

  object all;
  all.set("batch", static_cast<std::int64_t>(batch));
  all.set("results",
          measured(directory, batch, [&](feeder& to) { return write_results(to, results); }));
  all.set("trials",
          measured(directory, batch, [&](feeder& to) { return write_trials(to, trials, batch); }));
  std::printf("%s\n", to_json(all).c_str());
  return 0;
}
