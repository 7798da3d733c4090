/// The process behind an external searcher, as its rules see it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace tune::external {

/// Terms for starting the process.
struct partner_terms {
  /// The command's words, split like those of a trainable's command.
  std::string command;
  /// The process is ended if it is silent for this long while an answer is awaited.
  std::chrono::milliseconds answer_timeout{60'000};
};

/// The process said a line.
struct line_heard {
  object said;
};
/// The process ended, said an invalid line, or was silent for too long.
struct partner_lost {
  std::string why;
  /// True if starting it again would change nothing: there is no such program.
  bool for_good = false;
};

using heard = std::variant<line_heard, partner_lost>;

/// Speaks with one process at a time. Used by one thread; only `close` may be called by another.
class partner {
public:
  partner() = default;
  partner(const partner&) = delete;
  partner& operator=(const partner&) = delete;
  virtual ~partner() = default;

  /// Until `leave` no one else speaks with the process: `close` waits for nothing more from it.
  virtual void enter() = 0;
  virtual void leave() = 0;

  /// Starts a process, after the end of the previous one. `hear` tells of failures.
  virtual void begin() = 0;
  /// Sends messages, and waits until there is room for more. `hear` tells of failures.
  virtual void tell(const std::vector<object>& what) = 0;
  /// Waits for the next line of the process.
  [[nodiscard]] virtual heard hear() = 0;

  /// Tells people of a fault that is forgiven.
  virtual void warn(const std::string& text) = 0;

  /// Ends the process, and waits until it is gone. Callers that wait in `hear` or `tell` return at
  /// once. No process is started any more.
  /// @param last_words The last messages to it; called only if the process lives and no one speaks
  ///                   with it.
  virtual void close(const std::function<std::vector<object>()>& last_words) = 0;
};

} // namespace tune::external
