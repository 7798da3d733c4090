// SPDX-License-Identifier: BSD-3-Clause
#include "support/small_run.hpp"

#include "tune/actors/cluster.hpp"
#include "tune/actors/recorder.hpp"
#include "tune/actors/rules.hpp"
#include "tune/core/schedule/fifo/fifo.hpp"

#include <stdlib.h>

namespace tune::support {

namespace {

/// First in, first out; records what it was shown.
struct watched_rule : scheduler {
  fifo::fifo_scheduler rule;
  told<std::uint64_t>* shown = nullptr;
  std::function<void()> before;

  // FIFO does not look at reports, but this one must see them.
  [[nodiscard]] scheduler_traits traits() const override {
    auto result = rule.traits();
    result.judges = true;
    return result;
  }
  void apply(const scheduler_fact& what) override {
    if (const auto* x = std::get_if<fact::result>(&what.what))
      shown->add(x->iteration);
    rule.apply(what);
  }
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override {
    before();
    return rule.judge(cause, trial);
  }
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override {
    return rule.choose(at, count);
  }
  [[nodiscard]] decision on_stall(sequence at) const override { return rule.on_stall(at); }
  void describe(fingerprint&) const override {}
};

struct given_configs : searcher {
  std::vector<object> configs;
  std::size_t made = 0;

  [[nodiscard]] searcher_traits traits() const override {
    searcher_traits result;
    result.exhaustible = true;
    return result;
  }
  void apply(const searcher_fact& what) override {
    if (const auto* x = std::get_if<suggested_fact>(&what.what)) {
      if (const auto* list = std::get_if<std::vector<suggestion>>(&x->what))
        made += list->size();
    }
  }
  [[nodiscard]] proposal propose(const ask& question) const override {
    std::vector<suggestion> result;
    for (auto i = made; i < configs.size() && result.size() < question.count; ++i)
      result.push_back({std::make_shared<object>(configs[i]), "given"});
    if (result.empty())
      return exhausted{"all are out"};
    return result;
  }
  void describe(fingerprint&) const override {}
};

struct end_watcher : run_observer {
  told<run_summary>& over;
  told<std::string>& warnings;
  told<std::string>& reasons;
  end_watcher(told<run_summary>& x, told<std::string>& y, told<std::string>& z)
      : over{x}, warnings{y}, reasons{z} {}
  void warned(const std::string& text) override { warnings.add(text); }
  void trial_changed(const cmd::trial_changed& what, instant) override { reasons.add(what.reason); }
  void finished(const run_summary& how) override { over.add(how); }
};

} // namespace

small_run::small_run() {
  auto name = (std::filesystem::temp_directory_path() / "tune_actors_XXXXXX").string();
  EXPECT_NE(::mkdtemp(name.data()), nullptr);
  work.id = "small";
  work.directory = name;
  work.experiment = "small";
  node.capacity.cpu = amount::of(1);
  work.objective = "loss";
  settings.objectives = {{"loss", false}};
  resources one;
  one.cpu = amount::of(1);
  settings.request.bundles = {one};
}

small_run::~small_run() {
  std::error_code ignored;
  std::filesystem::remove_all(work.directory, ignored);
}

void small_run::TearDown() {
  end_run();
}

void small_run::start() {
  node.trainables = std::make_shared<const trainable_registry>(trainables);
  auto stoppers = make_stoppers(stop_lines);
  ASSERT_TRUE(stoppers) << to_text(stoppers.error());
  auto rule = std::make_unique<watched_rule>();
  rule->shown = &judged;
  rule->before = before_judging;
  auto source = std::make_unique<given_configs>();
  source->configs = configs;
  experiment machine{settings, rule->traits(), source->traits(), std::move(*stoppers)};
  auto cluster = keep(spawn_cluster(*system));
  auto recorder
      = keep(spawn_recorder(*system, [this](std::span<const store_item> items) -> expected<void> {
          for (const auto& x : items) {
            if (const auto* what = std::get_if<event>(&x.what))
              log.add(*what);
          }
          return {};
        }));
  auto judge = keep(spawn_scheduler(*system, std::move(rule)));
  auto proposer = keep(spawn_searcher(*system, std::move(source)));
  node.jobs = {std::make_shared<const job>(work)};
  node_ = spawn_node(*system, node, cluster);
  send_from_outside(cluster, offer_of(node), node_);
  runner_parts parts{std::move(machine),
                     on::opened{1, "test", "{}", 1},
                     judge,
                     proposer,
                     cluster,
                     recorder,
                     true,
                     std::make_shared<end_watcher>(over_, warned, reasons)};
  parts.job = work.id;
  runner_ = keep(spawn_runner(*system, std::move(parts)));
  for (const auto& x : early)
    post(x);
  send_from_outside(runner_, run_atom_v);
}

run_summary small_run::finish() {
  if (over_.wait_for(1))
    return over_.all()[0];
  ADD_FAILURE() << "the run did not end";
  return {};
}

void small_run::end_run() {
  if (node_)
    send_from_outside(node_, drain_atom_v);
  node_ = node_actor{};
  runner_ = runner_actor{};
  end_system();
}

std::vector<std::uint64_t> small_run::reported_iterations() {
  std::vector<std::uint64_t> result;
  for (const auto& x : events<on::reported>())
    result.push_back(x.what->iteration);
  return result;
}

} // namespace tune::support
