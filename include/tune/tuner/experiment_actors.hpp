/// All actors of one experiment: spawned together, asked together, dismissed together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/rules.hpp"
#include "tune/actors/runner.hpp"
#include "tune/actors/system.hpp"
#include "tune/core/cluster/allocation_terms.hpp"
#include "tune/core/cluster/queue_claim.hpp"
#include "tune/io/store/experiment_store.hpp"
#include "tune/tuner/head_services.hpp"
#include "tune/tuner/parts.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

class control_service;
class control_server;
class running_sinks;
struct control_answer;
struct control_request;

/// A scheduler or searcher that exists already.
struct hired_scheduler {
  scheduler_actor who;
  scheduler_traits traits;
  /// See `own_scheduler::answer_timeout`.
  std::chrono::nanoseconds answer_timeout{0};
};
struct hired_searcher {
  searcher_actor who;
  searcher_traits traits;
  /// See `own_searcher::answer_timeout`.
  std::chrono::nanoseconds answer_timeout{0};
};

/// Inputs of `experiment_actors` other than the parts of the run.
struct experiment_actors_options {
  std::shared_ptr<experiment_store> store;
  on::opened opening;
  /// Whether the experiment goes on: its log is replayed first.
  bool resumes = false;
  /// Bad checkpoints found before it goes on.
  std::vector<on::checkpoint_bad> bad;
  /// Trials to run again where it goes on, and whether nothing else is to run.
  std::vector<on::retry_asked> again;
  bool only_again = false;
  /// Configurations to be tried as well in that case.
  std::vector<on::add_asked> additions;
  /// By what workers and launch tokens know the head, where it has services of its own.
  head_identity head = {};
  /// Where it stands among the experiments of its head; nothing: it has the head for itself.
  std::optional<owner_standing> standing = {};
  /// In that case: what gives it its place in the queue, and whom to tell, from another thread,
  /// when it comes to be served and has something to run, and when it waits again.
  queue_claim claim = {};
  std::function<void()> on_moved = {};
  /// See `runner_parts::is_queued`.
  std::function<bool()> is_queued = {};
  /// Attempts on workers may outlive this head, and those of the one before are awaited.
  bool outlives_heads = false;
  bool awaits_attempts = false;
  /// Warning shown at its start; empty: none.
  std::string warning;
  /// Notice of a pause that stands, shown at its start; see `opened_storage`.
  std::string paused;
  /// Everything workers are given of the experiment; nothing where none can join.
  std::optional<job_offer> shipment;
  std::shared_ptr<run_observer> observer;
  /// Told why the trial files are no longer written; from another thread.
  std::function<void(const error&)> on_files_failed;
  /// Told what was in the way of a trial's files, as a text with their names; from another thread.
  std::function<void(const std::string&)> on_files_odd;
  /// Told which sink of `[sinks]` has trouble, and when that is over; from another thread.
  std::function<void(const std::string&)> on_sink_news;
  /// Used in place of the parts' own rules; they end with the set of actors.
  std::optional<hired_scheduler> scheduler;
  std::optional<hired_searcher> searcher;
};

/// The actors of one experiment. They use head services that experiments may share.
class experiment_actors {
public:
  /// @param where Must outlive it.
  experiment_actors(head_services& where, run_parts parts, experiment_actors_options how);
  ~experiment_actors();

  /// Like `head_services::when_broken`, for its own actors.
  void when_broken(const std::function<void(const std::string&)>& call);

  /// Starts the experiment, and listens to clients in its directory. The observer is told of the
  /// end, and is warned where nobody can listen.
  /// @errors `ec::internal` if workers cannot be given what they need: nothing has begun then.
  [[nodiscard]] expected<void> start();
  /// Waits until it has come to where its record ends, however long that takes.
  void await_opening();
  /// Interrupts the experiment in order, so that it can be resumed later.
  void interrupt(std::string why = "interrupted");
  /// Gives `interrupt` as a function that may outlive the set of actors.
  [[nodiscard]] std::function<void(const std::string&)> interrupter() const;
  /// Ends all trials.
  void stop(std::string why);

  /// The present state; nothing if the actors do not answer soon.
  [[nodiscard]] std::optional<runner_status> status();
  [[nodiscard]] std::optional<cluster_status> resources() { return where_.resources(); }
  /// Where it stands among the experiments of its head; nothing if nobody answers soon.
  [[nodiscard]] std::optional<allocation_view> standing() const;

  /// Carries out a request as from a client of the control socket. From any thread.
  /// @param answer Called once the answer is on disk; destroyed uncalled if the set of actors is
  ///         dismissed before.
  void ask(const control_request& what,
           const std::function<void(expected<control_answer>)>& answer);
  /// Whether a trial that asks for `what`, or for what the trials of this experiment ask for, could
  /// be given it now. Nothing if nobody answers soon.
  [[nodiscard]] std::optional<bool> has_room(const std::optional<resource_request>& what);

  /// Waits until everything handed over is on disk, in the trial files and with the sinks. If the
  /// database could not be written, that is the `storage_error` of `end`, unless it has one.
  void settle(run_summary& end);

  /// Ends all actors. No other call may follow.
  void dismiss();
  /// Waits until the actors with threads are gone. After `dismiss`; for an actor system that lives
  /// on.
  void await_farewell();

private:
  head_services& where_;
  caf::actor_system& system_;
  std::shared_ptr<experiment_store> store_;
  std::shared_ptr<const job> work_;
  std::optional<job_offer> shipment_;
  /// Warnings shown at its start; empty ones are not.
  std::array<std::string, 2> warnings_;
  recorder_actor recorder_;
  janitor_actor janitor_;
  std::optional<sink_actor> files_;
  std::unique_ptr<running_sinks> sinks_;
  std::shared_ptr<outline_board> board_ = std::make_shared<outline_board>();
  std::shared_ptr<const search_space> space_;
  scheduler_actor judge_;
  searcher_actor source_;
  /// The program's own scheduler and searcher, behind the guards `judge_` and `source_`.
  std::optional<scheduler_actor> own_judge_;
  std::optional<searcher_actor> own_source_;
  runner_actor runner_;
  /// Request of each trial, and labels that its node must bear.
  resource_request request_;
  node_labels labels_;
  /// What an external searcher has to tell people; may be null.
  std::shared_ptr<searcher_news> news_;
  std::shared_ptr<control_service> desk_;
  std::unique_ptr<control_server> socket_;

  void open_desk();
  [[nodiscard]] std::string settle_all();
  void spawn_files(const experiment_actors_options& how);
  void spawn_rules(run_parts& parts, const experiment_actors_options& how);
};

} // namespace tune
