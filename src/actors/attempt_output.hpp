/// The output of one attempt's program that belongs on another machine. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial_process.hpp"

#include "tune/actors/caf.hpp"

#include <string>
#include <utility>

namespace tune {

/// Has the output files of a program sent to the machine where they belong. Lives in the state of
/// the attempt's actor. Does nothing where they stay.
class attempt_output {
public:
  /// The program is about to start.
  /// @param what must outlive it.
  template <class Self>
  void announce(Self* self, const trainable_start& what) {
    what_ = &what;
    auto files = turn_of(what);
    is_sent_ = what.node->outputs && !files.stdout_file.empty();
    if (is_sent_)
      send(self, what.node->outputs,
           output_opened{key(), what.order.trial, files.stdout_file, files.stderr_file});
  }

  /// The files have grown.
  template <class Self>
  void grew(Self* self) const {
    if (is_sent_)
      send(self, what_->node->outputs, output_grew{key()});
  }

  /// The program is gone.
  /// @param missing Why its files are not complete; empty: they are.
  /// @param then    Called with the same once all of the output is where it belongs, perhaps before
  ///                this returns.
  template <class Self, class Then>
  void close(Self* self, const std::string& missing, Then then) const {
    if (!is_sent_)
      return then(missing);
    // No time limit: the output client lives on this node, answers at once where the head is out of
    // reach, and has limits of its own.
    request(self, what_->node->outputs, caf::infinite, output_closed{key()})
        .then([missing,
               then](const output_settled& x) mutable { then(missing.empty() ? x.why : missing); },
              [self, then](const caf::error& why) mutable { then(render(self->system(), why)); });
  }

private:
  const trainable_start* what_ = nullptr;
  bool is_sent_ = false;

  [[nodiscard]] output_key key() const {
    return {what_->order.job, what_->order.attempt, what_->order.rank};
  }
};

} // namespace tune
