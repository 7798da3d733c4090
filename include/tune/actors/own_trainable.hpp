/// Trainables that are actors of a program's own.
///
///     tune::own_trainable_actor::behavior_type
///     descent(tune::own_trainable_actor::stateful_pointer<descent_state> self);
///
///     tune::trainable_registry mine;
///     tune::add_actor(mine, "descent", tune::trained_by<descent_state>(descent));
///
/// Where a class or function will do, it is less work: see tune/trainable/trainable.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"
#include "tune/trainable/trainable.hpp"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tune {

/// Request: the configuration to train with. Answered once the actor is ready.
struct training_setup {
  /// Never null.
  std::shared_ptr<const object> config;
  trial_context context;
};

/// Request: restore from the files that a `training_save`, perhaps of another trial, wrote into
/// `directory`; comes after the set-up and before the first step. An error means that the
/// checkpoint is at fault.
struct training_load {
  std::filesystem::path directory;
};

/// Request: do one unit of training.
struct training_step {};

/// The result of a step. `"done": true` among the metrics ends the trial.
struct training_result {
  metrics what;
};

/// Request: write all state into `directory`, which exists and is empty. The actor must not touch
/// it any more once it has answered. After an error training goes on without this checkpoint.
struct training_save {
  std::filesystem::path directory;
};

/// Request: write the trained result into `directory`, which exists and is empty, in `format`: one
/// of `[trainable] export`. Answered by whether the actor knows the format.
struct training_export {
  std::filesystem::path directory;
  std::string format;
};

/// An OWN TRAINABLE trains for one attempt. Spawned for the attempt on its node, and told to go at
/// its end by an exit message with `exit_reason::user_shutdown`.
///
/// Life: `training_setup` → (`training_load`) → `training_step`… with `training_save` in between →
/// (`training_export`…). Each is a request, and the next one comes once it has been answered: at
/// once, later by a response promise, or with an error, whose text is shown to the user. Any other
/// message to the requester has no effect.
///
/// If a set-up or a step is answered with an error, or the actor ends before it was told to go, the
/// attempt fails as `user_error` with the text of that error. To the runtime, an actor that never
/// answers looks as if it were training: `[failure] progress_timeout` ends it. An actor that is to
/// be ended by force gets `exit_reason::kill`, which only a handler that does not return outlives:
/// it is abandoned after `[cluster] kill_grace`, keeps its thread, and holds up the end of the
/// actor system.
using own_trainable_actor
    = typed_actor<caf::result<void>(training_setup), caf::result<void>(training_load),
                  caf::result<training_result>(training_step), caf::result<void>(training_save),
                  caf::result<bool>(training_export)>;

/// Describes how actors of one trainable are spawned.
struct own_trainable {
  /// Called for each attempt, on the node where it runs: spawns a new actor of this process, and is
  /// quick. An exception or a null handle is a user error of the attempt.
  std::function<own_trainable_actor(caf::actor_system&, const trial_context&)> spawn;
  /// Whether the actor answers `training_save` and `training_load`; if not, trials cannot be
  /// paused, copied, or continued from a checkpoint.
  bool can_save = true;
};

/// Registers an actor under `name` in this process; other nodes need programs that do the same.
void add_actor(trainable_registry& to, std::string name, own_trainable what,
               std::string summary = {});

/// The thread on which the handlers of an actor run.
enum class actor_thread : std::uint8_t {
  /// A thread of its own (`caf::detached`): handlers may compute and block.
  own,
  /// The threads that all actors share: handlers return at once, and answer later if they have to
  /// wait.
  shared,
};

/// Makes exceptions in handlers of `self` report their text, where CAF would only report that there
/// was one. Called first in a new actor.
template <class Self>
void tell_exceptions(Self* self) {
  self->set_exception_handler([](std::exception_ptr& what) -> caf::error {
    try {
      std::rethrow_exception(what);
    } catch (const std::exception& e) {
      return caf::make_error(caf::sec::runtime_error, std::string{e.what()});
    } catch (...) {
      return caf::make_error(caf::sec::runtime_error, std::string{"unknown exception"});
    }
  });
}

/// A trainable whose actor is made of a function and a state, as usual in CAF; exceptions report
/// their text.
/// @param init Called in each new actor as `behavior_type init(stateful_pointer<State>)` of
///        `own_trainable_actor`.
template <class State, class Init>
[[nodiscard]] own_trainable trained_by(Init init, actor_thread where = actor_thread::own) {
  auto begin =
      [init](
          own_trainable_actor::stateful_pointer<State> self) -> own_trainable_actor::behavior_type {
    tell_exceptions(self);
    return init(self);
  };
  own_trainable result;
  result.spawn
      = [begin, where](caf::actor_system& system, const trial_context&) -> own_trainable_actor {
    return where == actor_thread::own ? system.spawn<caf::detached>(begin) : system.spawn(begin);
  };
  return result;
}

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_own_trainable)
TUNE_LOCAL_TYPE(tune_own_trainable, tune::training_setup)
TUNE_LOCAL_TYPE(tune_own_trainable, tune::training_load)
TUNE_LOCAL_TYPE(tune_own_trainable, tune::training_step)
TUNE_LOCAL_TYPE(tune_own_trainable, tune::training_result)
TUNE_LOCAL_TYPE(tune_own_trainable, tune::training_save)
TUNE_LOCAL_TYPE(tune_own_trainable, tune::training_export)
TUNE_END_LOCAL_TYPES(tune_own_trainable)
