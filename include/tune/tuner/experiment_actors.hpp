/// All actors of one experiment: spawned together, asked together, dismissed together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/rules.hpp"
#include "tune/actors/runner.hpp"
#include "tune/actors/system.hpp"
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
struct control_answer;
struct control_request;
struct opened_storage;
struct spec;

/// A scheduler or searcher that is there already.
struct hired_scheduler {
  scheduler_actor who;
  scheduler_traits traits;
};
struct hired_searcher {
  searcher_actor who;
  searcher_traits traits;
  /// See `own_searcher::answer_timeout`.
  std::chrono::nanoseconds answer_timeout{0};
};

/// What a set of actors is made of, beside the parts of the run.
struct experiment_actors_options {
  std::shared_ptr<experiment_store> store;
  on::opened opening;
  /// The experiment goes on: replay its log first.
  bool resumes = false;
  /// What was found out of its checkpoints then.
  std::vector<on::checkpoint_bad> bad;
  /// Trials that are to run again then, and whether nothing else is to run.
  std::vector<on::retry_asked> again;
  bool only_again = false;
  /// Configurations that are to be tried besides, then.
  std::vector<on::add_asked> additions;
  /// What is said at its start; empty: nothing.
  std::string warning;
  /// The same of a pause that stands; see `opened_storage`.
  std::string paused;
  /// What workers are given of it; nothing where none can join.
  std::optional<job_offer> shipment;
  std::shared_ptr<run_observer> observer;
  /// Hears why the trial files are not written any more; from another thread.
  std::function<void(const error&)> on_files_failed;
  /// Hears what was in the way of a trial's files, as a text with their names; from another thread.
  std::function<void(const std::string&)> on_files_odd;
  /// Hears which of the program's own sinks is told no more, and why; from another thread.
  std::function<void(const std::string&)> on_sink_failed;
  /// In the place of the parts' own; they go with the set of actors.
  std::optional<hired_scheduler> scheduler;
  std::optional<hired_searcher> searcher;
};

/// Those of a run of `what` in a directory that is ready: what it was, and what this head says
/// first.
[[nodiscard]] experiment_actors_options options_for(opened_storage directory, const spec& what);

/// The actors of one experiment. They work on head services that others may share.
class experiment_actors {
public:
  /// @param where Outlives it.
  experiment_actors(head_services& where, run_parts parts, experiment_actors_options how);
  ~experiment_actors();

  /// As `head_services::when_broken`, of its own actors.
  void when_broken(const std::function<void(const std::string&)>& call);

  /// Begins, and listens to clients in the experiment's directory; the observer hears of the end,
  /// and a warning where nobody can listen.
  /// @errors `ec::internal`, where workers cannot be given what they need: nothing has begun.
  [[nodiscard]] expected<void> start();
  /// Leaves off in order, to be gone on with later.
  void interrupt(std::string why = "interrupted");
  /// The same as a function that may outlive the set of actors.
  [[nodiscard]] std::function<void(const std::string&)> interrupter() const;
  /// Ends all trials.
  void stop(std::string why);

  /// The present state; nothing if the actors do not answer soon.
  [[nodiscard]] std::optional<runner_status> status();
  [[nodiscard]] std::optional<cluster_status> resources() { return where_.resources(); }

  /// Carries out what a client of the control socket may want, too. From any thread.
  /// @param answer Called once what it tells is on disk; destroyed uncalled where the set of actors
  /// is
  ///               dismissed before.
  void ask(const control_request& what,
           const std::function<void(expected<control_answer>)>& answer);
  /// Whether a trial that asks for `what`, or for what those of this experiment ask for, could be
  /// given it now. Nothing if nobody answers soon.
  [[nodiscard]] std::optional<bool> has_room(const std::optional<resource_request>& what);

  /// Waits until all that was handed over is on disk, in the trial files and with the sinks.
  /// @returns why the database is not; empty if it is.
  [[nodiscard]] std::string settle();

  /// Tells everybody to go. No other call may follow.
  void dismiss();
  /// Waits until those who hold threads are gone. After `dismiss`; for an actor system that lives
  /// on.
  void await_farewell();

private:
  head_services& where_;
  caf::actor_system& system_;
  std::shared_ptr<experiment_store> store_;
  std::shared_ptr<const job> work_;
  std::optional<job_offer> shipment_;
  /// Said at its start, where they are not empty.
  std::array<std::string, 2> warnings_;
  recorder_actor recorder_;
  janitor_actor janitor_;
  std::optional<sink_actor> files_;
  /// Of the program.
  std::vector<sink_actor> own_sinks_;
  std::shared_ptr<outline_board> board_ = std::make_shared<outline_board>();
  std::shared_ptr<const search_space> space_;
  scheduler_actor judge_;
  searcher_actor source_;
  /// Whom that one speaks for.
  std::optional<searcher_actor> own_source_;
  runner_actor runner_;
  /// What a trial asks for, and what its node must be able to do.
  resource_request request_;
  node_labels labels_;
  std::shared_ptr<control_service> desk_;
  std::unique_ptr<control_server> socket_;

  void open_desk();
  void spawn_files(const experiment_actors_options& how);
  void spawn_own_sinks(std::vector<chosen_sink> which, const experiment_actors_options& how);
  void spawn_rules(run_parts& parts, const experiment_actors_options& how);
};

} // namespace tune
