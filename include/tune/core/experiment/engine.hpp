/// The loop around the state machine, shared by all drivers: stamp, record, apply, carry out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/experiment.hpp"
#include "tune/core/experiment/outbox.hpp"

#include <deque>
#include <vector>

namespace tune {

/// The engine's view of the outside world. The runner actor, the simulator and tests differ in
/// nothing else.
class engine_ports {
public:
  virtual ~engine_ports() = default;
  /// Hands an event to the recorder; `engine::durable` says later that it is on disk.
  virtual void record(const event& what) = 0;
  /// Carries out one command whose gate has opened. Must not call back into the engine.
  virtual void carry_out(const command& what) = 0;
  /// An earlier head told an attempt to end: `replay` comes upon it. Must not call back, either.
  virtual void recall(const cmd::halt&) {}
};

/// Drives one experiment.
class engine {
public:
  /// @param ports must outlive the engine.
  engine(experiment machine, engine_ports& ports);

  /// Takes news: stamps it with the next `seq` and `now`, records it, applies it, and carries out
  /// the commands that follow. Late and duplicate messages are answered without entering the log.
  void post(event_body what, instant now);

  /// Takes a client's request: posts it if it changes anything.
  ///
  /// @returns the answer for the client, to be sent once all events up to `machine().last_seq()`
  ///          are on disk.
  [[nodiscard]] order_verdict order(event_body what, instant now);

  /// Posts everything that is due by time at `now`.
  void pass(instant now);

  /// All events up to `seq` are on disk: opens gates.
  void durable(sequence seq);

  /// See `experiment::go_by`.
  void go_by(rule_change what) { machine_.go_by(std::move(what)); }
  /// Applies a recorded event without recording it. Carries out only the facts for scheduler and
  /// searcher, through `carry_out`, and recalls which attempts were told to end.
  void replay(const event& what);
  /// Call after the last replayed event: carries out what is outstanding.
  void resume(instant now);

  [[nodiscard]] const experiment& machine() const { return machine_; }
  [[nodiscard]] const outbox& held() const { return outbox_; }

private:
  experiment machine_;
  engine_ports& ports_;
  outbox outbox_;
  std::deque<event_body> todo_;

  void step(event_body what, instant now);
  void step_own(instant now);
  void route(std::vector<command> commands);
};

} // namespace tune
