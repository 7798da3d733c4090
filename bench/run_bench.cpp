/// Measures whole experiments, run by the real actors in one process with the database on.
///
///   tune_run_bench trials  [TRIALS] [SLOTS] [SEARCHER] trials of one report each
///   tune_run_bench reports [TRIALS] [REPORTS] [SLOTS]  trials of many reports each
///   tune_run_bench memory  [FEW] [MANY] [SLOTS]        bytes per finished trial
///   tune_run_bench answers [SECONDS] [SLOTS]           how soon actors answer during reports
///
/// Each prints one JSON object. The directory is made below the current one and removed again.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "tune/actors/cluster.hpp"
#include "tune/actors/node.hpp"
#include "tune/actors/recorder.hpp"
#include "tune/actors/rules.hpp"
#include "tune/actors/runner.hpp"
#include "tune/actors/system.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/experiment_store.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace tune;
using clock_type = std::chrono::steady_clock;

/// The node's name for the experiment.
constexpr const char* bench_job = "bench";

/// Size of the experiment to run.
struct load {
  std::uint64_t trials = 1000;
  std::uint64_t reports = 1;
  std::int64_t slots = 8;
  std::string searcher = "random";
};

/// Time and memory that a run took.
struct cost {
  double seconds = 0;
  double cpu_seconds = 0;
  std::int64_t resident = 0;
  std::uint64_t ended = 0;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "run_bench: %s\n", why.c_str());
  std::exit(1);
}

template <class T>
T got(expected<T> x) {
  if (!x)
    give_up(to_text(x.error()));
  return std::move(*x);
}

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

/// Resident memory of this process. [bytes]
std::int64_t resident() {
  std::ifstream from{"/proc/self/statm"};
  std::int64_t all = 0;
  std::int64_t here = 0;
  from >> all >> here;
  return here * ::sysconf(_SC_PAGESIZE);
}

/// Waits for the end, and records when each trial ended.
class watcher : public run_observer {
public:
  void trial_changed(const cmd::trial_changed& what, instant) override {
    std::lock_guard guard{mutex_};
    if (what.status == trial_status::running) {
      running_.insert(what.trial);
      changed_.notify_all();
    } else if (running_.erase(what.trial) > 0) {
      changed_.notify_all();
    }
  }
  void finished(const run_summary& how) override {
    std::lock_guard guard{mutex_};
    over_ = how;
    changed_.notify_all();
  }

  run_summary wait() {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [this] { return over_.has_value(); });
    return *over_;
  }
  /// Waits for a running trial. @returns one.
  trial_id pick() {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [this] { return !running_.empty(); });
    return *running_.begin();
  }
  void wait_for_end(trial_id whom) {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [&] { return !running_.contains(whom); });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<run_summary> over_;
  std::set<trial_id> running_;
};

std::shared_ptr<const trainable_registry> one_function(std::uint64_t reports) {
  auto result = std::make_shared<trainable_registry>();
  result->add_function("bench", [reports](session& in) {
    auto x = *in.config().find("x")->as_double();
    for (std::uint64_t i = 0; i < reports; ++i) {
      if (!in.report({{"loss", x / static_cast<double>(i + 1)}, {"accuracy", x}}))
        return;
    }
  });
  return result;
}

struct scratch_directory {
  std::filesystem::path path = std::filesystem::absolute("run_bench." + std::to_string(::getpid()));
  ~scratch_directory() { std::filesystem::remove_all(path); }
};

/// A whole experiment, its actors and its directory.
class experiment_run {
public:
  explicit experiment_run(const load& what) : system_{config_} {
    const auto& directory = directory_.path;
    auto store = std::make_shared<experiment_store>(got(experiment_store::create(directory)));
    cluster_ = spawn_cluster(system_);
    recorder_ = spawn_recorder(
        system_, [store](std::span<const store_item> items) { return store->write(items); });
    auto judge = got(builtin_schedulers().find("fifo")->make({}, {}));
    auto source = make_searcher(what);
    experiment_settings settings;
    settings.objectives = {{"loss", false}};
    settings.max_trials = source->traits().exhaustible ? 0 : what.trials;
    settings.request.bundles = {{amount::of(1), {}, 0, {}}};
    experiment machine{settings, judge->traits(), source->traits(), {}};
    auto prompt_judge = judge->traits().prompt;
    auto prompt_source = source->traits().prompt;
    scheduler_ = spawn_scheduler(system_, std::move(judge));
    searcher_ = spawn_searcher(system_, std::move(source));
    node_settings offer;
    offer.capacity.cpu = amount::of(static_cast<double>(what.slots));
    offer.trainables = one_function(what.reports);
    job work;
    work.id = bench_job;
    work.experiment = "bench";
    work.directory = directory;
    work.plan = run_in_thread{"bench"};
    work.objective = "loss";
    work.trial_files = false;
    offer.jobs = {std::make_shared<const job>(std::move(work))};
    node = spawn_node(system_, offer, cluster_);
    send_from_outside(cluster_, offer_of(offer), node);
    on::opened opening{store->epoch(), "bench", "{}", 1};
    runner_parts parts{std::move(machine), std::move(opening), scheduler_, searcher_,
                       cluster_,           recorder_,          false,      seen};
    parts.most_undurable = 200'000;
    parts.job = bench_job;
    parts.prompt_scheduler = prompt_judge;
    parts.prompt_searcher = prompt_source;
    runner = spawn_runner(system_, std::move(parts));
  }

  ~experiment_run() {
    send_from_outside(node, drain_atom_v);
    auto dismiss = [](const auto& x) { caf::anon_send_exit(x, caf::exit_reason::user_shutdown); };
    dismiss(runner);
    dismiss(scheduler_);
    dismiss(searcher_);
    dismiss(cluster_);
    dismiss(recorder_);
  }

  void start() {
    cpu_ = std::clock();
    began_ = clock_type::now();
    send_from_outside(runner, run_atom_v);
  }

  cost finish() {
    auto how = seen->wait();
    cost result;
    result.seconds = seconds_since(began_);
    result.cpu_seconds = static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
    result.resident = resident();
    result.ended = how.view.counts[static_cast<std::size_t>(trial_status::terminated)];
    if (how.status != experiment_status::done && how.status != experiment_status::stopped)
      give_up("the run ended: " + how.why);
    return result;
  }

  [[nodiscard]] caf::actor_system& system() { return system_; }

  const std::shared_ptr<watcher> seen = std::make_shared<watcher>();
  node_actor node;
  runner_actor runner;

private:
  /// Destroyed last: actors write into it until the system is down.
  scratch_directory directory_;
  system_config config_;
  caf::actor_system system_;
  cluster_actor cluster_;
  recorder_actor recorder_;
  scheduler_actor scheduler_;
  searcher_actor searcher_;
  std::clock_t cpu_ = 0;
  clock_type::time_point began_;

  static std::unique_ptr<searcher> make_searcher(const load& what) {
    searcher_context about;
    about.space = std::make_shared<const search_space>(
        got(search_space::parse({{"x", "uniform(0, 1)"}, {"y", "loguniform(1e-5, 1)"}})));
    about.samples = what.trials;
    auto catalogue = builtin_searchers();
    const auto& entry = *catalogue.find(what.searcher);
    return got(entry.make(got(options::parse(entry.known, {})), about));
  }
};

cost measure(const load& what) {
  experiment_run run{what};
  run.start();
  auto result = run.finish();
  if (result.ended != what.trials)
    give_up(std::to_string(result.ended) + " of " + std::to_string(what.trials) + " trials ended");
  return result;
}

object described(const load& what, const cost& took) {
  auto per_second = [&](std::uint64_t n) { return static_cast<double>(n) / took.seconds; };
  return {{"trials", static_cast<std::int64_t>(what.trials)},
          {"reports_per_trial", static_cast<std::int64_t>(what.reports)},
          {"slots", what.slots},
          {"searcher", what.searcher},
          {"seconds", took.seconds},
          {"cpu_seconds", took.cpu_seconds},
          {"trials_per_second", per_second(what.trials)},
          {"reports_per_second", per_second(what.trials * what.reports)}};
}

/// Runs in a process of its own, so that memory left by one run does not count for the next.
/// @returns its resident memory.
std::int64_t resident_after(const load& what) {
  int ends[2];
  if (::pipe(ends) != 0)
    give_up("no pipe");
  auto child = ::fork();
  if (child == 0) {
    auto bytes = measure(what).resident;
    ::_exit(::write(ends[1], &bytes, sizeof bytes) == sizeof bytes ? 0 : 1);
  }
  ::close(ends[1]);
  std::int64_t result = 0;
  auto got_all = ::read(ends[0], &result, sizeof result) == sizeof result;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  if (!got_all)
    give_up("the measured process failed");
  return result;
}

object measure_memory(load few, load many) {
  auto before = resident_after(few);
  auto after = resident_after(many);
  auto more = static_cast<double>(many.trials) - static_cast<double>(few.trials);
  return {{"measure", "memory"},
          {"trials", value::list{static_cast<std::int64_t>(few.trials),
                                 static_cast<std::int64_t>(many.trials)}},
          {"resident_bytes", value::list{before, after}},
          {"bytes_per_finished_trial", static_cast<double>(after - before) / more}};
}

/// A list of durations. [ms]
class times {
public:
  void add(clock_type::time_point begin) { all_.push_back(1000 * seconds_since(begin)); }
  object summary() {
    std::sort(all_.begin(), all_.end());
    auto at = [&](double share) {
      if (all_.empty())
        return -1.0;
      return all_[static_cast<std::size_t>(share * static_cast<double>(all_.size() - 1))];
    };
    return {{"n", static_cast<std::int64_t>(all_.size())},
            {"p50_ms", at(0.5)},
            {"p99_ms", at(0.99)},
            {"max_ms", at(1)}};
  }

private:
  std::vector<double> all_;
};

template <class Handle>
void ping(caf::scoped_actor& self, const Handle& whom, times& into) {
  auto begin = clock_type::now();
  request(self.operator->(), whom, std::chrono::seconds{10}, ping_atom_v, std::uint64_t{1})
      .receive([&](std::uint64_t) { into.add(begin); },
               [](const caf::error&) { give_up("no answer to a ping in ten seconds"); });
}

std::uint64_t results_of(caf::scoped_actor& self, const runner_actor& runner) {
  std::uint64_t result = 0;
  request(self.operator->(), runner, std::chrono::seconds{10}, status_atom_v, std::uint32_t{0})
      .receive([&](const runner_status& x) { result = x.results; },
               [](const caf::error&) { give_up("no status in ten seconds"); });
  return result;
}

/// Plays a trial: answers all reports of its trainable, and reveals the trainable.
trial_actor::behavior_type spy(trial_actor::pointer self,
                               std::shared_ptr<std::promise<trainable_actor>> found) {
  auto whom = std::make_shared<trainable_actor>();
  return {
      [](const launch_order&) {},
      [](const attempt_answer&) {},
      [](const attempt_halt&) {},
      [whom, found](attempt_key, const trainable_actor& x) {
        *whom = x;
        found->set_value(x);
      },
      [](const attempt_started&) {},
      [self, whom](const attempt_report& x) {
        send(self, *whom, attempt_answer{x.attempt, x.number, answer_kind::go_on, 0, 0});
      },
      [](const attempt_saved&) {},
      [](const attempt_save_failed&) {},
      [](const attempt_exported&) {},
      [whom](const attempt_ended& x) {
        if (!*whom)
          give_up("a trainable did not begin: " + x.detail);
      },
      // Only for trainables on other nodes.
      [](attempt_key, const attempt_proxy_actor&) {},
      [](std::uint64_t, const attempt_started&) {},
      [](std::uint64_t, const attempt_report&) {},
      [](std::uint64_t, const attempt_saved&) {},
      [](std::uint64_t, const attempt_save_failed&) {},
      [](std::uint64_t, const attempt_exported&) {},
      [](std::uint64_t, const attempt_ended&) {},
      [](ping_atom, std::uint64_t x) { return x; },
  };
}

/// Starts a trainable on the node beside the experiment's own.
trainable_actor spied_trainable(experiment_run& run, std::uint64_t number) {
  auto found = std::make_shared<std::promise<trainable_actor>>();
  launch_order order;
  order.trial = order.lease = (std::uint64_t{1} << 32) + number;
  order.attempt = attempt_id{1, order.lease};
  order.job = bench_job;
  order.config = {std::make_shared<const object>(object{{"x", 0.5}})};
  send_from_outside(run.node, order, run.system().spawn(spy, found));
  return found->get_future().get();
}

object measure_answers(double seconds, std::int64_t slots) {
  // Trials that report as long as they are allowed to.
  experiment_run run{{1'000'000, 1'000'000'000, slots}};
  caf::scoped_actor self{run.system()};
  run.start();
  while (results_of(self, run.runner) < 10'000)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  times runner_pings, node_pings, trainable_pings, stops, downs;
  const auto begin = clock_type::now();
  const auto before = results_of(self, run.runner);
  for (std::uint64_t i = 0; seconds_since(begin) < seconds; ++i) {
    auto other = spied_trainable(run, i);
    ping(self, run.runner, runner_pings);
    ping(self, run.node, node_pings);
    ping(self, other, trainable_pings);
    self->monitor(other);
    auto asked = clock_type::now();
    send_from_outside(other, attempt_halt{{}, static_cast<std::uint8_t>(halt_mode::kill)});
    self->receive([&](const caf::down_msg&) { downs.add(asked); });
    auto victim = run.seen->pick();
    asked = clock_type::now();
    send_from_outside(run.runner, news{on::stop_asked{victim, "measured"}});
    run.seen->wait_for_end(victim);
    stops.add(asked);
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  auto rate = static_cast<double>(results_of(self, run.runner) - before) / seconds_since(begin);
  send_from_outside(run.runner, news{on::stop_asked{std::nullopt, "measured"}});
  run.finish();
  return {{"measure", "answers"},
          {"slots", slots},
          {"reports_per_second", rate},
          {"ping_runner", runner_pings.summary()},
          {"ping_node", node_pings.summary()},
          {"ping_trainable", trainable_pings.summary()},
          {"stop_until_ended", stops.summary()},
          {"down", downs.summary()}};
}

} // namespace

int main(int argc, char** argv) {
  bench::arguments given{argc, argv,
                         "trials  [TRIALS] [SLOTS] [SEARCHER]\n"
                         "reports [TRIALS] [REPORTS] [SLOTS]\n"
                         "memory  [FEW] [MANY] [SLOTS]\n"
                         "answers [SECONDS] [SLOTS]"};
  auto slots = [&] { return static_cast<std::int64_t>(given.number(8, 1)); };
  const auto what = given.word("trials");
  load work;
  if (what == "trials" || what == "reports" || what == "memory")
    work.trials = given.number(1000, 1);
  const auto second = what == "reports"   ? given.number(100, 1)
                      : what == "memory"  ? given.number(100'000, 1)
                      : what == "answers" ? given.number(5, 1)
                                          : 1;
  work.slots = slots();
  if (what == "trials")
    work.searcher = given.word("random");
  given.finish();
  if (const auto all = builtin_searchers(); all.find(work.searcher) == nullptr)
    given.refuse("no searcher " + work.searcher);
  init_message_types();
  object result;
  if (what == "trials" || what == "reports") {
    work.reports = second;
    result = described(work, measure(work));
    result.set("measure", what);
  } else if (what == "memory") {
    auto many = work;
    many.trials = second;
    result = measure_memory(work, many);
  } else if (what == "answers") {
    result = measure_answers(static_cast<double>(second), work.slots);
  } else {
    given.refuse("no measure " + what);
  }
  std::printf("%s\n", to_json(result).c_str());
  return 0;
}
