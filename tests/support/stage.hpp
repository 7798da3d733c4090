/// An actor system in which nothing moves by itself. Like tune/actors/caf.hpp it hides the
/// differences between the versions of CAF, here for tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <caf/fwd.hpp>
#include <caf/timespan.hpp>

#include <cstddef>
#include <memory>

namespace tune::support {

class stage {
public:
  stage();
  ~stage();
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;

  [[nodiscard]] caf::actor_system& system();
  /// Has one actor process a message. @returns whether there was one.
  bool run_once();
  /// Advances the clock. @returns how many timers fired.
  std::size_t advance(caf::timespan by);
  [[nodiscard]] bool has_timer();
  void cancel_timers();

private:
  struct machinery;
  std::unique_ptr<machinery> machinery_;
};

} // namespace tune::support
