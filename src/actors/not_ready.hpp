/// How a trainable's actor says that its node, and not its trial, kept the attempt from beginning:
/// it quits with an error of this kind and tells the trial nothing. The node, which monitors it,
/// then tells the head first and the trial after that.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"
#include "tune/core/error.hpp"
#include "tune/io/process/shortage.hpp"

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace tune {

/// Why a node was not ready for an attempt.
struct not_ready {
  /// Text for people; it names neither node nor trial.
  std::string why;
  /// See `launch_declined`.
  bool is_passing = false;

  explicit not_ready(const error& what)
      : why{to_text(what)}, is_passing{what.code == ec::shortage} {}
  not_ready(std::string text, bool passing) : why{std::move(text)}, is_passing{passing} {}
};

[[nodiscard]] inline caf::error to_caf(const not_ready& what) {
  return caf::make_error(caf::sec::cannot_spawn_actor_from_arguments, what.why, what.is_passing);
}

/// @returns nothing if the actor ended for any other reason.
[[nodiscard]] inline std::optional<not_ready> not_ready_from(const caf::error& why) {
  if (why != caf::make_error(caf::sec::cannot_spawn_actor_from_arguments)
      || !why.context().match_elements<std::string, bool>())
    return std::nullopt;
  return not_ready{why.context().get_as<std::string>(0), why.context().get_as<bool>(1)};
}

/// Converts the current exception, if a thread or memory could not be had; rethrows any other.
[[nodiscard]] inline not_ready not_ready_after_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {"there is no memory for it", true};
  } catch (const std::system_error& why) {
    return {"cannot start a thread: " + text_of_shortage(why.code().value()),
            is_shortage(why.code().value())};
  }
}

} // namespace tune
