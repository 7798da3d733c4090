// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/status.hpp"

namespace tune {

namespace {

using enum trial_status;

transition of_pending(status_event event) {
  switch (event) {
    case status_event::place:
      return moves_to{running};
    case status_event::end:
      return moves_to{terminated};
    case status_event::fail:
      return moves_to{errored};
    case status_event::retry:
      return is_ignored{"it waits in the queue already"};
    case status_event::unpause:
      return is_ignored{"it is not paused"};
    case status_event::paused:
    case status_event::revive:
      break;
  }
  return is_bug{};
}

transition of_running(status_event event) {
  switch (event) {
    case status_event::paused:
      return moves_to{paused};
    case status_event::end:
      return moves_to{terminated};
    case status_event::retry:
      return moves_to{pending};
    case status_event::fail:
      return moves_to{errored};
    case status_event::unpause:
      return is_ignored{"it runs already"};
    case status_event::place:
    case status_event::revive:
      break;
  }
  return is_bug{};
}

transition of_paused(status_event event) {
  switch (event) {
    case status_event::unpause:
    case status_event::retry:
      return moves_to{pending};
    case status_event::end:
      return moves_to{terminated};
    case status_event::fail:
      return moves_to{errored};
    case status_event::paused:
      return is_ignored{"it is paused already"};
    case status_event::place:
    case status_event::revive:
      break;
  }
  return is_bug{};
}

transition of_final(status_event event) {
  switch (event) {
    case status_event::revive:
      return moves_to{pending};
    case status_event::place:
      return is_bug{};
    default:
      return is_ignored{"it has ended"};
  }
}

} // namespace

transition next(trial_status from, status_event event) {
  switch (from) {
    case pending:
      return of_pending(event);
    case running:
      return of_running(event);
    case paused:
      return of_paused(event);
    case terminated:
    case errored:
      return of_final(event);
  }
  return is_bug{};
}

std::string_view to_text(trial_status x) {
  switch (x) {
    case pending:
      return "PENDING";
    case running:
      return "RUNNING";
    case paused:
      return "PAUSED";
    case terminated:
      return "TERMINATED";
    case errored:
      return "ERRORED";
  }
  return "?";
}

std::string_view to_text(status_event x) {
  switch (x) {
    case status_event::place:
      return "place";
    case status_event::paused:
      return "paused";
    case status_event::unpause:
      return "unpause";
    case status_event::end:
      return "end";
    case status_event::retry:
      return "retry";
    case status_event::fail:
      return "fail";
    case status_event::revive:
      return "revive";
  }
  return "?";
}

} // namespace tune
