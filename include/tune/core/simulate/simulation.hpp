/// One experiment in virtual time: simulates everything around the engine in one thread, driven by
/// a seed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/check/conduct_check.hpp"
#include "tune/core/check/replay_check.hpp"
#include "tune/core/cluster/awaited_attempts.hpp"
#include "tune/core/cluster/membership.hpp"
#include "tune/core/cluster/node_plan.hpp"
#include "tune/core/experiment/engine.hpp"
#include "tune/core/liveness/session_lease.hpp"
#include "tune/core/resource/ledger.hpp"
#include "tune/core/rng.hpp"
#include "tune/core/simulate/agenda.hpp"
#include "tune/core/simulate/asked_rules.hpp"
#include "tune/core/simulate/head_clock.hpp"
#include "tune/core/simulate/options.hpp"
#include "tune/core/simulate/simulated_disk.hpp"
#include "tune/core/simulate/simulated_log.hpp"
#include "tune/core/simulate/trial_model.hpp"
#include "tune/core/trial/attempt_session.hpp"
#include "tune/core/trial/report_line.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Joins engine, scheduler, searcher, attempt sessions, ledger, nodes and a disk.
///
/// Uses the same engine and rules as a run with actors, including those of nodes (`node_plan`) and
/// of their membership at the head: only the ports differ. Messages of one trial's process arrive
/// in the order in which they were sent, as over one connection, unless the fault model says
/// otherwise; so do messages from the head to a node.
class simulation : public engine_ports {
public:
  using make_rules = std::function<rule_set()>;

  /// @param rules Called once at the start, once by each head that takes over, and by `check`. A
  ///              rule that fails interrupts the experiment; see `asked_rules`.
  simulation(simulation_options how, experiment_settings settings, make_rules rules,
             std::shared_ptr<trial_model> model);

  /// Opens the experiment and runs until it is finished, `most` events are in the log, or nothing
  /// happens because a client wants it so.
  void run(std::size_t most = std::numeric_limits<std::size_t>::max());

  /// Loses the head: everything not on disk is gone, perhaps with part of the last commit; another
  /// head takes over at once. Only if the simulation records.
  void lose_head();

  /// A node goes down with everything that runs there; it returns after a while.
  void lose_node(const std::string& name, instant back_after);

  /// Posts an event from outside at the present time.
  void post(event_body what);

  /// All findings: those made during the run, and those from a replay of the log.
  [[nodiscard]] findings check() const;
  /// Findings made during the run.
  [[nodiscard]] const findings& found() const { return found_; }

  /// The present log, on disk or not; empty if the simulation does not record.
  [[nodiscard]] const std::vector<event>& log() const { return log_.events(); }
  /// Sequence number up to which all events are on disk.
  [[nodiscard]] sequence durable() const { return log_.on_disk(); }
  /// Number of applied events, including those of lost suffixes.
  [[nodiscard]] std::uint64_t events() const { return counts_.events; }
  [[nodiscard]] const std::vector<command>& carried() const { return carried_; }
  /// Hash over experiment, scheduler and searcher after each event.
  [[nodiscard]] const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  [[nodiscard]] const experiment& machine() const { return head_.engine->machine(); }
  [[nodiscard]] std::optional<cmd::finish> finished() const { return finished_; }
  [[nodiscard]] instant now() const { return agenda_.now(); }
  /// Experiment time, as recorded in the log.
  [[nodiscard]] instant elapsed() const { return clock_.elapsed(now()); }
  /// Largest number of attempts under way at once: launched, but with an end not yet told.
  [[nodiscard]] std::uint64_t most_running() const { return counts_.most_running; }
  /// Number of times that a node was declared lost.
  [[nodiscard]] std::uint64_t nodes_lost() const { return counts_.nodes_lost; }
  /// Checkpoints whose directories exist.
  [[nodiscard]] const std::map<checkpoint_id, simulated_checkpoint>& disk() const {
    return disk_.numbered();
  }
  /// Computing time, summed over all trainables. Of iterations that were cut short, and of those
  /// under way, the part that has passed counts.
  [[nodiscard]] instant computed() const;

  void record(const event& what) override;
  void carry_out(const command& what) override;

private:
  /// A trainable at work, on its node.
  struct process {
    trial_id trial;
    attempt_id attempt;
    lease_id lease;
    std::size_t node = 0;
    config_ptr config;
    attempt_session session;
    /// True if its last report waits for an answer.
    bool waits = false;
    /// Number of the last report to which it did not wait for the answer, since its head was away.
    std::uint64_t passed_over = 0;
    /// The last checkpoint that it was asked for, and at which report.
    std::pair<checkpoint_id, std::uint64_t> asked = {};
    bool computes = false;
    /// When the present iteration began, and its computing time.
    instant step_began{0};
    instant step_takes{0};
    /// True if it ends after this iteration.
    bool stops = false;
    /// True if that is the end of its trial, and it is to export.
    bool exports = false;
    /// Arrival times of its last message to the head, and of the last one to it.
    instant last_up{0};
    instant last_down{0};
  };
  /// Something that an attempt says to its head.
  struct word {
    std::uint64_t number = 0;
    attempt_id attempt;
    event_body what;
    /// See `report_line`.
    bool trained_on = false;
  };
  /// A word that its node keeps until what came of it is on disk, where attempts outlive heads.
  struct kept_word {
    word what;
    /// Last event when the present head had heard it; 0: it has not.
    sequence heard = 0;
    /// The allocation that ended with it.
    std::optional<lease_id> over = {};
  };
  struct node_state {
    simulated_node what;
    bool alive = true;
    /// Its present incarnation; empty: the node ended everything and has not arrived since.
    std::optional<node_plan> plan;
    /// Counts the processes that the node has lived in, one after another.
    std::uint64_t process = 1;
    /// Epoch of the head for which it arrived.
    std::uint32_t epoch = 0;
    /// Launches it was ordered that are not over.
    std::map<lease_id, cmd::launch> orders;
    /// True once the head has said which allocations go on.
    bool is_open = false;
    /// Arrival time of the head's last message.
    instant last_down{0};
    /// Until this time it does nothing, and nothing reaches it.
    instant frozen_until{0};
    /// Until these times messages from it, and messages to it, are held back.
    instant unheard_until{0};
    instant deaf_until{0};
    /// Incremented whenever a silence begins or ends.
    std::uint64_t silence = 0;
    /// Session lease since the silence began: as if a heartbeat had just been answered.
    std::optional<session_lease> lease;
    /// Messages it sent while the head could not hear it.
    std::deque<word> on_the_way;
    /// What it has held back since its lease ran out.
    std::vector<word> unsaid;
    std::deque<kept_word> kept;
  };

  /// Parts of a node that can fail while it stays up.
  enum class trouble : std::uint8_t { machine, link, way_up, way_down };

  /// What is lost with a head: its successor begins with nothing of that.
  struct head {
    asked_rules rules;
    std::unique_ptr<tune::engine> engine;
    std::unique_ptr<tune::ledger> ledger;
    std::map<lease_id, lease> leases;
    std::map<attempt_id, lease_id> lease_of;
    membership members;
    /// Attempts of the head before.
    awaited_attempts awaited;
    /// What waits for answers to earlier reports, with its nodes.
    std::map<attempt_id, report_line<std::pair<std::size_t, word>>> lines;
    /// The last save that each attempt was asked for.
    std::map<attempt_id, cmd::save> saves_asked;
    /// Launches that are not over, in case they have to be repeated.
    std::map<lease_id, cmd::launch> orders;
    /// Messages to trainables that have not begun yet.
    std::map<attempt_id, std::vector<std::function<void(process&)>>> early;
  };
  /// What there was, for those who ask afterwards.
  struct counts {
    std::uint64_t events = 0;
    std::uint64_t most_running = 0;
    std::uint64_t nodes_lost = 0;
    /// Computing time, without the iterations under way.
    instant computed{0};
  };
  /// Attempts to which something happened that must not happen twice, or must not be their fault.
  struct history {
    /// All that ever began; only if the simulation records.
    std::set<attempt_id> begun;
    /// Those for which no process could be made.
    std::set<attempt_id> forkless;
  };
  /// Numbers given so far, by all heads and nodes.
  struct numbers {
    std::uint64_t session = 0;
    std::uint64_t word = 0;
  };

  simulation_options how_;
  experiment_settings settings_;
  make_rules make_rules_;
  std::shared_ptr<trial_model> model_;
  rng chance_;
  agenda agenda_;

  // Heads, one after another.
  head head_;
  std::uint32_t epoch_ = 0;
  head_clock clock_;
  /// Worker processes of the nodes that arrived, by node name.
  std::map<std::string, std::string> workers_;
  /// All existing nodes, up or not.
  ledger whole_;
  std::optional<cmd::finish> finished_;

  // The storage.
  simulated_log log_;
  simulated_disk disk_;

  // The nodes.
  std::vector<node_state> nodes_;
  std::map<attempt_id, process> processes_;
  history history_;
  numbers last_;

  std::vector<std::uint64_t> faults_due_;
  /// The newest row of each trial, for clients that want it to run again.
  std::map<trial_id, cmd::trial_changed> rows_;
  counts counts_;
  std::vector<command> carried_;
  std::vector<std::uint64_t> hashes_;
  conduct_check conduct_;
  findings found_;

  // simulation.cpp: time, head and disk.
  void start_head();
  void open();
  void replay(const std::vector<std::uint64_t>& lived);
  void tell(event_body what);
  void note_hash();
  void commit();
  void end_of_run();
  [[nodiscard]] bool happens(double chance) { return chance > 0 && chance_.unit() < chance; }
  [[nodiscard]] instant delay();
  /// Carries `what` out later, unless the head is lost before.
  void for_head(agenda::task what);
  void at_head(std::uint32_t epoch, agenda::task what);
  /// Carries `what` out later at the head of that time, once it is awake.
  void for_any_head(instant after, agenda::task what);
  [[nodiscard]] bool is_asleep() const { return clock_.is_asleep(agenda_.now()); }
  void report_broken(promise broken, std::string what);
  [[nodiscard]] bool outlives_heads() const { return how_.head_grace.count() > 0; }
  [[nodiscard]] liveness_rules rules() const { return {how_.lost_after, how_.head_grace}; }

  // simulation_head.cpp: commands.
  template <class Question>
  void ask(const Question& what);
  template <class Fact>
  void inform(const Fact& what);
  void tell_failures();
  void enqueue(const cmd::place& x);
  void grant();
  void give_back(lease_id id);
  void discard(const cmd::discard& x);

  // simulation_process.cpp: programs on nodes.
  /// The process receives `what` after a while, if it still lives then.
  void to_process(attempt_id attempt, std::function<void(process&)> what);
  void reach(attempt_id attempt, const std::function<void(process&)>& what);
  void to_head(process& from, event_body what);
  void send(std::size_t from, instant after, word what);
  void arrive(std::size_t from, word what);
  [[nodiscard]] instant hears_at(std::size_t from) const;
  void deliver(std::size_t from);
  void receive(std::size_t from, const word& what);
  /// @returns the allocation that ended, if the node is to hear of that.
  std::optional<lease_id> tell_end(const on::ended& what);
  void begin(process& who, checkpoint_id from);
  void write(process& who, const cmd::save& x);
  void compute(process& who);
  /// The part of its iteration under way that has passed.
  [[nodiscard]] instant computing(const process& who) const;
  void end_of_step(attempt_id attempt, const object& metrics);
  void finish_step(process& who, object metrics);
  void hand_over(process& who, std::uint64_t iteration);
  void go_on(process& who, const cmd::proceed& x);
  void save(process& who, const cmd::save& x);
  void halt(process& who, const cmd::halt& x);
  void end_in_order(process& who, end_class how, bool exports);
  void end(attempt_id attempt, end_class how, std::string detail = {});

  // simulation_cluster.cpp: nodes, their sessions, and launches on them.
  void launch(const cmd::launch& x);
  void send_order(lease_id which, membership::launch_number as);
  void receive_order(std::size_t node, const node_plan::order& as, const cmd::launch& x);
  void carry_out(std::size_t node, const node_commands& all);
  void act(std::size_t node, const node_cmd::prepare& x);
  void act(std::size_t node, const node_cmd::kill& x);
  void act(std::size_t node, const node_cmd::decline& x);
  void act(std::size_t node, const node_cmd::tell_end& x);
  void act(std::size_t node, const node_cmd::report_over& x);
  void act(std::size_t node, const node_cmd::forget& x);
  void act(std::size_t node, const node_cmd::open& x);
  void act(std::size_t node, const node_cmd::drop_pauses& x);
  template <class Other>
  void act(std::size_t, const Other&) {}
  void prepared(std::size_t node, lease_id which);
  void start(std::size_t node, lease_id which, const cmd::launch& x);
  void reap(std::size_t node, attempt_id attempt, lease_id which);
  /// The present incarnation of the node carries `what` out later, in order, unless it is gone by
  /// then.
  void for_node(std::size_t node, agenda::task what);
  void at_node(std::size_t node, std::uint64_t incarnation, instant after, bool is_message,
               agenda::task what);
  /// The head carries `what` out later, once it hears of the node.
  void from_node(std::size_t node, agenda::task what);
  /// The node carries `what` out by itself, after a while.
  void on_node(std::size_t node, instant after, agenda::task what);
  [[nodiscard]] std::uint64_t incarnation_of(const node_state& node) const;
  void say(std::size_t node, attempt_id attempt, event_body what);

  // simulation_successor.cpp: heads that take the place of others.
  word keep(std::size_t node, attempt_id attempt, event_body what);
  void note_heard(std::size_t node, std::uint64_t word, std::optional<lease_id> over);
  void confirm_words();
  void hear_over(std::size_t node, lease_id which);
  void lose_words();
  void await_attempts();
  void end_wait();
  void end_awaited(const awaited_attempt& what, const std::string& why);
  void rejoin_successor(std::size_t node);
  void take_over(std::size_t node, const awaited_attempts::claims& claims);
  void adopt(const awaited_attempt& what);

  // simulation_absence.cpp: trials that train on while their head is away.
  [[nodiscard]] bool trains_on(const node_state& node) const;
  void train_on(std::size_t node);
  void train_on(process& who);
  [[nodiscard]] bool passes(std::size_t from, const word& what);
  void note_answer(attempt_id attempt, std::uint64_t report);
  void note_halt(attempt_id attempt);
  [[nodiscard]] bool has_trained_on(attempt_id attempt) const;
  void refuse_save(const cmd::save& x);
  void release(attempt_id attempt);
  void take_in(std::size_t from, const word& what);

  void come_in(std::size_t node);
  void come_back(std::size_t node);
  void go_on(std::size_t node);
  void rejoin(std::size_t node);
  void beat(std::size_t node);
  void receive_node(std::size_t node, const node_arrival& what);
  /// @param kept The allocations that go on; nothing else that the node holds counts any more.
  void dismiss(std::size_t node, std::uint64_t session, const std::vector<lease_id>& kept = {});
  void enter(std::size_t node, std::uint64_t session, const node_holdings& has);
  void free(lease_id id);
  void take_back(std::size_t node, std::uint64_t session, const membership::arrival& came);
  void change_connection(std::size_t node);
  void abandon(std::size_t node);
  void take_for_lost(std::size_t node);
  void replace(std::size_t node, const std::string& worker);
  [[nodiscard]] std::size_t number_of(const std::string& name) const;
  [[nodiscard]] const std::string& name_of(std::size_t node) const {
    return nodes_[node].what.name;
  }
  [[nodiscard]] bool is_member(std::size_t node) const {
    return head_.members.contains(name_of(node));
  }
  [[nodiscard]] bool may_speak(const node_state& node) const;

  // simulation_faults.cpp
  void plan_faults();
  void inject();
  void interfere(instant duration);
  void wish_for_any(trial_id first, std::uint64_t trials,
                    const std::function<event_body(trial_id)>& what);
  void release(std::optional<trial_id> whom, instant after);
  void watch_release(std::optional<trial_id> whom, sequence said, instant after);
  bool wish(event_body what);
  void wear_out(std::size_t node);
  void lose(std::size_t node, instant back_after);
  void freeze(std::size_t node, instant duration, trouble what);
  void put_to_sleep(instant duration);
  void watch_silence(std::size_t node);
  void watch_for_silence(std::size_t node, std::uint64_t silence);
  void leave(std::size_t node, instant grace, instant back_after);
  void go_away(std::size_t node, instant back_after);
  void give_up(std::size_t node);
  void clear_memory(std::size_t node);
  [[nodiscard]] bool is_silent(const node_state& node) const;
  [[nodiscard]] bool is_deaf(const node_state& node) const;
  [[nodiscard]] bool is_in_trouble(const node_state& node) const;
};

} // namespace tune
