/// What trials of an experiment have shown of whether they can save.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace tune {

/// A value. They can as long as nothing else is known: only when it is asked to save does a program
/// say that it cannot. A program that says so may still hand checkpoints over with its reports.
class shown_saving {
public:
  /// @returns whether they can save, if the event tells something new.
  [[nodiscard]] std::optional<bool> heard(const event_body& what) {
    if (std::holds_alternative<on::saved>(what)) {
      has_saved_ = true;
      return learn(true);
    }
    const auto* failed = std::get_if<on::save_failed>(&what);
    return failed != nullptr && failed->unable && !has_saved_ ? learn(false) : std::nullopt;
  }

private:
  bool has_saved_ = false;
  bool can_ = true;

  [[nodiscard]] std::optional<bool> learn(bool can) {
    return std::exchange(can_, can) != can ? std::optional{can} : std::nullopt;
  }
};

} // namespace tune
