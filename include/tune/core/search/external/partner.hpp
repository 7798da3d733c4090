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

/// What it is started by.
struct partner_terms {
  /// Words, split like those of a trainable's command.
  std::string command;
  /// It is ended if it says nothing for so long while it is waited for.
  std::chrono::milliseconds answer_timeout{60'000};
};

/// It said a line.
struct line_heard {
  object said;
};
/// It ended, said what is no line of the protocol, or said nothing for too long.
struct partner_lost {
  std::string why;
  /// Beginning anew would change nothing: there is no such program.
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

  /// From here to `leave` nobody else speaks with it: `close` waits for nothing more of it.
  virtual void enter() = 0;
  virtual void leave() = 0;

  /// Starts a process, after the end of the one before. What fails is told by `hear`.
  virtual void begin() = 0;
  /// Hands messages over, and waits until there is room for more. What fails is told by `hear`.
  virtual void tell(const std::vector<object>& what) = 0;
  /// Waits for what it says next.
  [[nodiscard]] virtual heard hear() = 0;

  /// Ends the process, and waits until it is gone. Whoever waits in `hear` or `tell` goes on at
  /// once. Nothing is started any more.
  /// @param last_words What to tell it before; asked for only where it lives and nobody speaks with
  ///        it.
  virtual void close(const std::function<std::vector<object>()>& last_words) = 0;
};

} // namespace tune::external
