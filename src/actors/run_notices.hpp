/// What a run tells its observer. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/runner.hpp"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace tune {

/// Tells the observer, if there is one, what happens. Lives in the state of the runner.
class run_notices {
public:
  /// Most remarks with a subject that are shown, of all workers together: more would help nobody.
  static constexpr std::size_t most_subjects = 1'000;

  /// @param to Null: nobody listens.
  void init(std::shared_ptr<run_observer> to) { to_ = std::move(to); }

  void happened(const event& what) const {
    if (!to_)
      return;
    if (const auto* news = std::get_if<on::reported>(&what.what))
      to_->reported(news->what, what.at);
    else if (const auto* kept = std::get_if<on::saved>(&what.what))
      to_->saved(*kept, what.at);
  }

  void warn(const std::string& text) const {
    if (to_)
      to_->warned(text);
  }

  /// Warns once of each subject: each node says it.
  void tell(const remark& what) {
    const auto is_news
        = what.about.empty() || (said_.size() < most_subjects && said_.insert(what.about).second);
    if (is_news)
      warn(what.text);
  }

  /// Trials wait for what no node has; empty: no more.
  void wait_for(const std::string& what) {
    waits_for_ = what;
    if (!what.empty())
      warn(what);
  }
  [[nodiscard]] const std::string& waits_for() const { return waits_for_; }

  void changed(const cmd::trial_changed& what, instant now) const {
    if (to_)
      to_->trial_changed(what, now);
  }
  void decided(const cmd::decision_taken& what, instant now) const {
    if (to_)
      to_->decided(what, now);
  }

  void changed(const cmd::attempt_changed& what, const experiment& of, instant now) const {
    if (to_ && !what.finished)
      to_->attempt_began(what, now);
    if (!what.finished || !to_ || !is_failure(what.how))
      return;
    const auto status = of.status_of(what.trial);
    // The trial came to its end, however its last attempt ended.
    if (status != trial_status::terminated)
      to_->attempt_failed(what, status == trial_status::pending, now);
  }

  void finished(const run_summary& how) const {
    if (to_)
      to_->finished(how);
  }

private:
  std::shared_ptr<run_observer> to_;
  /// Subjects of the remarks shown so far.
  std::set<std::string> said_;
  /// Describes what trials wait for that no node has.
  std::string waits_for_;
};

} // namespace tune
