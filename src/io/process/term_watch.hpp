/// Lets a waiting process end in order on TERM.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <signal.h>

namespace tune {

/// During its lifetime, TERM does not end this process but is recorded. One at a time.
class term_watch {
public:
  term_watch();
  /// Restores the previous effect of TERM and raises a recorded TERM that was not yet taken.
  ~term_watch();
  term_watch(const term_watch&) = delete;
  term_watch& operator=(const term_watch&) = delete;

  /// Becomes readable once TERM came.
  [[nodiscard]] int fd() const;
  /// Whether TERM came since the last call.
  [[nodiscard]] bool came();

private:
  struct sigaction before_ {};
};

} // namespace tune
