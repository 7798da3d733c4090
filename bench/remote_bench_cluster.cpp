// SPDX-License-Identifier: BSD-3-Clause
#include "remote_bench_cluster.hpp"

#include "tune/actors/cluster.hpp"
#include "tune/actors/node.hpp"
#include "tune/actors/recorder.hpp"
#include "tune/actors/rules.hpp"
#include "tune/actors/runner.hpp"
#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/store/experiment_store.hpp"
#include "tune/net/dial.hpp"
#include "tune/net/head_session.hpp"
#include "tune/net/heartbeat_monitor.hpp"
#include "tune/net/job_lookup.hpp"
#include "tune/net/node_registry.hpp"
#include "tune/net/output_client.hpp"
#include "tune/net/output_server.hpp"
#include "tune/net/package_client.hpp"
#include "tune/net/package_server.hpp"
#include "tune/net/system.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

extern char** environ;

namespace tune::bench {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds patience{60};

double ms_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::milli>(clock_type::now() - begin).count();
}

/// The node at `where`: "here" is the head's own, "there" the worker's.
std::string name_at(place where) {
  return where == place::local ? "here" : "there";
}

/// Reports repeatedly; the last report says how long it waited for the answers to the others.
void train(session& in) {
  const auto reports = *in.config().find("reports")->as_int();
  const auto x = *in.config().find("x")->as_double();
  std::vector<double> waited;
  for (std::int64_t i = 1; i < reports; ++i) {
    const auto begin = clock_type::now();
    if (!in.report({{"loss", x / static_cast<double>(i)}}))
      return;
    waited.push_back(ms_since(begin));
  }
  const auto p50 = percentile(waited, 0.5);
  const auto p99 = percentile(waited, 0.99);
  in.report({{"loss", 0.0}, {"p50_ms", p50}, {"p99_ms", p99}});
}

std::shared_ptr<const job> job_at(place where, std::string id, const fs::path& directory) {
  job result;
  result.id = std::move(id);
  result.experiment = "bench";
  result.directory = directory;
  result.plan = run_in_thread{name_at(where)};
  result.objective = "loss";
  result.trial_files = false;
  return std::make_shared<const job>(std::move(result));
}

node_settings node_at(place where) {
  node_settings result;
  result.name = name_at(where);
  result.capacity.cpu = amount::of(static_cast<double>(node_slots));
  auto known = std::make_shared<trainable_registry>();
  known->add_function(name_at(where), train);
  result.trainables = std::move(known);
  return result;
}

/// Stands between workers and the node registry, to see which node enters.
node_registry_actor::behavior_type porter(node_registry_actor::pointer self,
                                          const node_registry_actor& node_registry,
                                          std::shared_ptr<std::promise<node_actor>> came) {
  return {
      [self, node_registry](hello_atom, std::string& text) {
        return delegate(self, node_registry, hello_atom_v, std::move(text));
      },
      [self, node_registry](enter_atom, std::uint64_t ticket) {
        return delegate(self, node_registry, enter_atom_v, ticket);
      },
      [self, node_registry, came](enter_atom, std::uint64_t ticket, const node_actor& node,
                                  const node_inventory& has) {
        send(self, node_registry, enter_atom_v, ticket, node, has);
        came->set_value(node);
      },
  };
}

/// Waits for the end of an experiment, and keeps the last trial's last report.
class watcher : public run_observer {
public:
  void trial_changed(const cmd::trial_changed& what, instant) override {
    if (what.status == trial_status::terminated && what.last != nullptr)
      last_ = what.last;
  }
  void finished(const run_summary& how) override { over_.set_value(how); }

  /// Waits for the end. @returns it with the last report; may be called once.
  std::pair<run_summary, std::shared_ptr<const report>> wait() {
    auto how = over_.get_future().get();
    return {std::move(how), last_};
  }

private:
  std::shared_ptr<const report> last_;
  std::promise<run_summary> over_;
};

std::unique_ptr<searcher> make_searcher(const load& what) {
  searcher_context about;
  about.space = std::make_shared<const search_space>(must(
      search_space::parse({{"x", "uniform(0, 1)"}, {"reports", std::to_string(what.reports)}})));
  about.samples = what.trials;
  auto catalogue = builtin_searchers();
  const auto& entry = *catalogue.find("random");
  return must(entry.make(must(options::parse(entry.known, {})), about));
}

experiment_settings settings_of(const load& what) {
  experiment_settings result;
  result.objectives = {{"loss", false}};
  result.max_concurrent = what.at_once;
  result.request.bundles = {{amount::of(1), {}, 0, {}}};
  return result;
}

/// Keeps a number of messages under way until all have been answered.
struct pinger_state {
  static inline const char* name = "bench.pinger";

  node_actor whom;
  std::uint64_t left = 0;
  std::uint64_t under_way = 0;
  std::vector<double> took;
  std::shared_ptr<std::promise<std::vector<double>>> done;

  // Has a constructor, so that CAF does not pass itself as the first member.
  pinger_state() = default;

  template <class Self>
  void next(Self* self) {
    if (left == 0) {
      if (under_way == 0)
        done->set_value(std::move(took));
      return;
    }
    --left;
    ++under_way;
    request(self, whom, caf::infinite, ping_atom_v, left)
        .then(
            [this, self, begin = clock_type::now()](std::uint64_t) {
              took.push_back(ms_since(begin));
              --under_way;
              next(self);
            },
            [](const caf::error&) { give_up("a node does not answer"); });
  }
};

using pinger_actor = typed_actor<caf::result<void>(run_atom)>;

pinger_actor::behavior_type pinger(pinger_actor::stateful_pointer<pinger_state> self,
                                   const node_actor& whom, std::uint64_t count,
                                   std::uint64_t at_once,
                                   std::shared_ptr<std::promise<std::vector<double>>> done) {
  auto& state = state_of(self);
  state.whom = whom;
  state.left = count;
  state.done = std::move(done);
  return {
      [self, &state, at_once](run_atom) {
        for (std::uint64_t i = 0; i < at_once && state.left > 0; ++i)
          state.next(self);
      },
  };
}

/// Ends the process when the worker loses its session.
class worker_watch : public head_session_observer {
public:
  void joined(const std::string&, const welcome&) override {}
  void away(const std::string&, std::chrono::milliseconds) override { std::_Exit(0); }
  void back() override {}
  void lost(const std::string&) override { std::_Exit(0); }
  void waits(const std::string& why, std::chrono::milliseconds) override { give_up(why); }
  void idle() override {}
  void ended(const worker_end& how) override { give_up(how.why); }
};

transport transport_of(const fs::path& certificates) {
  return must(choose_transport({"127.0.0.1", 0}, certificates, false));
}

fs::path with_certificates(const fs::path& directory) {
  certificate_order order;
  order.whom.name = "bench";
  must(init_certificates(directory / "certs", "bench", order));
  return directory / "certs";
}

} // namespace

double percentile(std::vector<double>& all, double share) {
  if (all.empty())
    return 0;
  auto index = static_cast<std::ptrdiff_t>(share * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), all.begin() + index, all.end());
  return all[static_cast<std::size_t>(index)];
}

void work(std::uint16_t port, const fs::path& certificates, const fs::path& work) {
  auto how = transport_of(certificates);
  network_config config{how};
  caf::actor_system system{config};
  package_client_settings fetching;
  fetching.work = work;
  auto package_client = must(spawn_package_client(system, std::move(fetching)));
  auto make = [](const fetched_job& found) -> expected<std::shared_ptr<const job>> {
    return job_at(place::remote, found.job, found.directory.parent_path());
  };
  head_session_settings settings;
  settings.dial = dial(system, {"127.0.0.1", port}, how);
  settings.cluster = "bench";
  settings.worker = "bench";
  settings.node = node_at(place::remote);
  settings.furnish = [&](node_settings& node, const head_links& links) {
    node.finder = spawn_job_lookup(system, package_client, links.package_server, make);
    node.outputs = spawn_output_client(system, links.output_server, true, std::chrono::minutes{5},
                                       node.gate);
  };
  settings.observer = std::make_shared<worker_watch>();
  auto head_session = spawn_head_session(system, std::move(settings));
  send_from_outside(head_session, run_atom_v);
  for (;;)
    ::pause();
}

small_cluster::small_cluster(const fs::path& directory)
    : directory_{directory}
    , how_{transport_of(with_certificates(directory))}
    , config_{how_}
    , system_{config_}
    , cluster_{spawn_cluster(system_)} {
  auto here = node_at(place::local);
  here.jobs = {job_at(place::local, name_at(place::local), directory_)};
  here_ = spawn_node(system_, here, cluster_);
  send_from_outside(cluster_, offer_of(here), here_);
  start_worker();
}

small_cluster::~small_cluster() {
  ::kill(worker_, SIGKILL);
  ::waitpid(worker_, nullptr, 0);
  // Actors hold references to each other here, and the process ends anyway.
  fs::remove_all(directory_);
  std::fflush(stdout);
  std::_Exit(0);
}

void small_cluster::start_worker() {
  auto package_server = spawn_package_server(system_);
  caf::scoped_actor self{system_};
  request(self.operator->(), package_server, patience,
          job_offer{name_at(place::remote), "", {}, directory_})
      .receive([](const std::string& why) { why.empty() ? void() : give_up(why); },
               [](const caf::error&) { give_up("the package server does not answer"); });
  node_registry_settings settings;
  settings.cluster = "bench";
  auto heartbeat_monitor = spawn_heartbeat_monitor(system_, {}, cluster_);
  settings.heartbeat_monitor = heartbeat_monitor;
  auto came = std::make_shared<std::promise<node_actor>>();
  auto node_registry = spawn_node_registry(
      system_, settings, cluster_,
      {cluster_, package_server, spawn_output_server(system_), {}, heartbeat_monitor});
  auto port = must(
      open_port(system_, system_.spawn(porter, node_registry, came), {"127.0.0.1", 0}, how_));
  std::vector<std::string> words{"tune_remote_bench", "worker", std::to_string(port),
                                 (directory_ / "certs").string(), (directory_ / "work").string()};
  std::vector<char*> raw;
  for (auto& word : words)
    raw.push_back(word.data());
  raw.push_back(nullptr);
  if (::posix_spawn(&worker_, "/proc/self/exe", nullptr, nullptr, raw.data(), environ) != 0)
    give_up("cannot start the worker");
  auto arrival = came->get_future();
  if (arrival.wait_for(patience) != std::future_status::ready)
    give_up("the worker did not join");
  there_ = arrival.get();
}

outcome small_cluster::run(const load& what) {
  auto directory = directory_ / ("run" + std::to_string(++runs_));
  auto store = std::make_shared<experiment_store>(must(experiment_store::create(directory)));
  auto recorder = spawn_recorder(
      system_, [store](std::span<const store_item> items) { return store->write(items); });
  auto judge = must(builtin_schedulers().find("fifo")->make({}, {}));
  auto source = make_searcher(what);
  auto seen = std::make_shared<watcher>();
  runner_parts parts{experiment{settings_of(what), judge->traits(), source->traits(), {}},
                     on::opened{store->epoch(), "bench", "{}", 1},
                     {},
                     {},
                     cluster_,
                     recorder,
                     false,
                     seen};
  parts.job = name_at(what.where);
  parts.labels = {trainable_label(name_at(what.where))};
  parts.prompt_scheduler = judge->traits().prompt;
  parts.prompt_searcher = source->traits().prompt;
  parts.scheduler = spawn_scheduler(system_, std::move(judge));
  parts.searcher = spawn_searcher(system_, std::move(source));
  auto dismiss = [](const auto& x) { caf::anon_send_exit(x, caf::exit_reason::user_shutdown); };
  auto scheduler = parts.scheduler;
  auto searcher = parts.searcher;
  auto runner = spawn_runner(system_, std::move(parts));
  const auto begin = clock_type::now();
  send_from_outside(runner, run_atom_v);
  auto [how, last] = seen->wait();
  outcome result;
  result.seconds = ms_since(begin) / 1000;
  dismiss(runner);
  dismiss(scheduler);
  dismiss(searcher);
  dismiss(recorder);
  const auto ended = how.view.counts[static_cast<std::size_t>(trial_status::terminated)];
  if (ended != what.trials || last == nullptr)
    give_up(std::to_string(ended) + " of " + std::to_string(what.trials)
            + " trials ended: " + how.why);
  result.p50_ms = *last->metrics->find("p50_ms")->as_double();
  result.p99_ms = *last->metrics->find("p99_ms")->as_double();
  return result;
}

std::vector<double> small_cluster::ping(place where, std::uint64_t count, std::uint64_t at_once) {
  auto done = std::make_shared<std::promise<std::vector<double>>>();
  auto result = done->get_future();
  auto who = system_.spawn(pinger, where == place::local ? here_ : there_, count, at_once, done);
  send_from_outside(who, run_atom_v);
  auto took = result.get();
  caf::anon_send_exit(who, caf::exit_reason::user_shutdown);
  return took;
}

} // namespace tune::bench
