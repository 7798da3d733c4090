/// Everything around the engine, in one thread, in virtual time, as a seed decides.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/engine.hpp"
#include "tune/core/rng.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/searcher.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <vector>

namespace tune::support {

/// Proposes `x = 0, 1, 2, …` until `count` are out; sometimes has nothing yet.
class counting_searcher : public searcher {
public:
  counting_searcher(std::uint64_t count, std::uint32_t ahead) : count_{count}, ahead_{ahead} {}
  [[nodiscard]] searcher_traits traits() const override {
    searcher_traits result;
    result.ahead = ahead_;
    result.exhaustible = true;
    return result;
  }
  void apply(const searcher_fact& what) override;
  [[nodiscard]] proposal propose(const ask& question) const override;
  void describe(fingerprint& into) const override { into.add(made_).add(heard_); }

private:
  std::uint64_t count_;
  std::uint32_t ahead_;
  std::uint64_t made_ = 0;
  std::uint64_t heard_ = 0;
};

/// How the world treats the engine.
struct world_options {
  std::uint64_t seed = 1;
  std::uint64_t trials = 10;
  std::uint64_t iterations = 8;
  std::uint64_t slots = 3;
  std::uint32_t ahead = 2;
  /// Longest delay of any answer, in virtual milliseconds; 0: everything at once.
  std::uint64_t most_delay = 20;
  /// Chance that an iteration throws, that a save fails.
  double failure = 0;
  double save_failure = 0;
  /// Chance that a message arrives twice.
  double doubled = 0;
  /// Chance that a restore fails.
  double bad_restore = 0;
  /// Each lease has a second bundle, on the node "there".
  bool helpers = false;
};

/// Drives one engine with fake trainables.
class world : public engine_ports {
public:
  using make_scheduler = std::function<std::unique_ptr<scheduler>()>;

  world(world_options how, experiment_settings settings, make_scheduler maker);

  /// Opens the experiment and runs until nothing is left to do, or `most` events were logged.
  void run(std::size_t most = 100000);

  /// Loses the process: what was not yet durable is gone; a new head takes over.
  void crash();

  /// Posts an event from outside at the present time.
  void post(event_body what) { engine_->post(std::move(what), now_); }

  [[nodiscard]] const std::vector<event>& log() const { return log_; }
  [[nodiscard]] const std::vector<command>& carried() const { return carried_; }
  [[nodiscard]] const experiment& machine() const { return engine_->machine(); }
  [[nodiscard]] std::optional<cmd::finish> finished() const { return finished_; }
  [[nodiscard]] instant now() const { return now_; }
  /// Hash over experiment, scheduler and searcher after each event.
  [[nodiscard]] const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  /// First violated promise; empty if none.
  [[nodiscard]] const std::string& violation() const { return violation_; }
  /// Most trials that held a slot at once.
  [[nodiscard]] std::uint64_t most_running() const { return most_running_; }
  /// Checkpoints whose directories are there.
  [[nodiscard]] const std::map<checkpoint_id, trial_id>& disk() const { return disk_; }

  void record(const event& what) override;
  void carry_out(const command& what) override;

private:
  struct fake_trial {
    attempt_id attempt;
    std::uint64_t number = 0;
    std::uint64_t iteration = 0;
    bool ending = false;
  };
  struct item {
    instant at;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const item& y) const { return std::tie(y.at, y.order) < std::tie(at, order); }
  };

  world_options how_;
  experiment_settings settings_;
  make_scheduler maker_;
  std::unique_ptr<scheduler> scheduler_;
  std::unique_ptr<counting_searcher> searcher_;
  std::unique_ptr<engine> engine_;
  rng chance_;
  instant now_{0};
  std::uint64_t order_ = 0;
  std::uint32_t epoch_ = 0;
  std::priority_queue<item> agenda_;
  std::map<trial_id, fake_trial> fakes_;
  std::vector<std::pair<trial_id, resource_request>> waiting_;
  std::set<trial_id> holding_;
  std::vector<event> log_;
  std::size_t durable_ = 0;
  std::vector<command> carried_;
  std::vector<std::uint64_t> hashes_;
  std::optional<cmd::finish> finished_;
  std::string violation_;
  std::uint64_t most_running_ = 0;
  std::uint64_t leases_ = 0;
  std::map<checkpoint_id, trial_id> disk_;

  void start_engine();
  void open();
  void later(std::function<void()> what);
  void deliver(event_body what);
  void grant();
  void advance(trial_id id, attempt_id attempt);
  void end(trial_id id, attempt_id attempt, end_class how, std::string detail = {});
  void carry(const cmd::launch& x);
  void carry(const cmd::proceed& x);
  void carry(const cmd::save& x);
  void carry(const cmd::halt& x);
  void carry(const cmd::discard& x);
  void note_hash();
  void check(const event& what);
  std::map<std::pair<attempt_id, std::uint64_t>, sequence> seen_;
};

/// The hash of instances that were fed `log` and nothing else.
[[nodiscard]] std::vector<std::uint64_t> replay_hashes(const std::vector<event>& log,
                                                       const world_options& how,
                                                       const experiment_settings& settings,
                                                       const world::make_scheduler& maker);

} // namespace tune::support
