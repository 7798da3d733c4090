/// Lets a waiting process end in order when it is asked to by TERM.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <signal.h>

namespace tune {

/// While it lives, TERM does not end this process but is noted. One at a time.
class term_watch {
public:
  term_watch();
  /// What TERM meant before it means again; one that was noted and not yet looked for counts then.
  ~term_watch();
  term_watch(const term_watch&) = delete;
  term_watch& operator=(const term_watch&) = delete;

  /// Readable once TERM came.
  [[nodiscard]] int fd() const;
  /// Whether TERM came since the last look.
  [[nodiscard]] bool came();

private:
  struct sigaction before_ {};
};

} // namespace tune
