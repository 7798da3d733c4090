/// One experiment with head services of its own: what `tuner` and `tune-node run` conduct.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/tuner/experiment_actors.hpp"
#include "tune/tuner/head_services.hpp"

#include <functional>
#include <string>

namespace tune {

/// The actors of a run that shares nothing with other runs. `close` must come before the
/// destructor.
class standalone_run {
public:
  /// @param works_here Whether this machine runs trials, too.
  /// @param broken     Told, from another thread, why the run cannot go on: its end would never
  ///        come.
  standalone_run(caf::actor_system& system, run_parts parts, experiment_actors_options how,
                 bool works_here, const std::function<void(const std::string&)>& broken);

  /// Opens the port where workers join, before the experiment starts.
  /// @returns its address, with the number of the port that it got. @errors `ec::refused`.
  [[nodiscard]] expected<peer_address> listen(listen_options port);
  /// The same where workers may come back from the head before this one: `prepare` before the
  /// experiment starts, and `open` once it has come to where its record ends.
  void prepare(listen_options port);
  [[nodiscard]] expected<peer_address> open();

  [[nodiscard]] experiment_actors& actors() { return actors_; }

  /// Ends all actors. No other call may follow but `await_farewell`.
  void close();
  /// Waits until the actors with threads and the processes are gone; for an actor system that lives
  /// on.
  void await_farewell();

private:
  head_services services_;
  experiment_actors actors_;
  peer_address where_;
};

} // namespace tune
