/// All actors of one run: spawned together, asked together, dismissed together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/runner.hpp"
#include "tune/actors/system.hpp"
#include "tune/io/store/experiment_store.hpp"
#include "tune/net/actors.hpp"
#include "tune/net/transport.hpp"
#include "tune/tuner/parts.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tune {

/// A scheduler or searcher that is there already.
struct hired_scheduler {
  scheduler_actor who;
  scheduler_traits traits;
};
struct hired_searcher {
  searcher_actor who;
  searcher_traits traits;
};

/// What a company is made of, beside the parts of the run.
struct company_options {
  std::shared_ptr<experiment_store> store;
  on::opened opening;
  /// The experiment goes on: replay its log first.
  bool resumes = false;
  /// This machine runs trials, too.
  bool works_here = true;
  std::shared_ptr<run_observer> observer;
  /// Hears why the trial files are not written any more; from another thread.
  std::function<void(const error&)> on_files_failed;
  /// In the place of the parts' own; they go with the company.
  std::optional<hired_scheduler> scheduler;
  std::optional<hired_searcher> searcher;
};

/// Where workers join, and what they are given.
struct listen_options {
  peer_address where;
  transport how;
  /// Name of the cluster.
  std::string cluster;
  job_offer shipment;
  /// Hears of workers that come and go, in lines for people; from another thread.
  std::function<void(const std::string&)> say;
};

/// The actors of one run on this machine, and its workers on others.
class company {
public:
  company(caf::actor_system& system, run_parts parts, company_options how);

  /// Opens a port where workers join. Call before `start`.
  /// @returns the port. @errors `ec::refused`, `ec::storage`, `ec::internal`.
  [[nodiscard]] expected<std::uint16_t> listen(listen_options how);

  /// Begins; the observer hears of the end.
  void start();
  /// Leaves off in order, to be gone on with later.
  void interrupt(std::string why = "interrupted");
  /// Ends all trials.
  void stop(std::string why);

  /// The present state; nothing if the actors do not answer soon.
  [[nodiscard]] std::optional<runner_status> status();
  [[nodiscard]] std::optional<cluster_status> resources();

  /// Waits until all that was handed over is on disk and in the trial files.
  /// @returns why the database is not; empty if it is.
  [[nodiscard]] std::string settle();

  /// Tells everybody to go. No other call may follow.
  void dismiss();
  /// Waits until those who hold threads and processes are gone. After `dismiss`; for an actor
  /// system that lives on.
  void await_farewell();

private:
  caf::actor_system& system_;
  std::shared_ptr<experiment_store> store_;
  cluster_actor cluster_;
  recorder_actor recorder_;
  std::optional<sink_actor> files_;
  scheduler_actor judge_;
  searcher_actor source_;
  node_actor node_;
  runner_actor runner_;
  std::optional<depot_desk_actor> depot_;
  std::optional<inbox_desk_actor> inbox_;
  std::optional<door_actor> door_;

  void spawn_files(const company_options& how);
  void spawn_rules(run_parts& parts, const company_options& how);
};

} // namespace tune
