/// The files that one attempt wrote into its trial's directory on a worker, on their way to the
/// head. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trainables.hpp"

#include "tune/core/trial/file_remarks.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Has them brought to the head, and tells the trial which did not arrive. Lives in the state of
/// the attempt's actor.
class attempt_artifacts {
public:
  /// The time left for the transfer after the attempt was killed. A head waits longer than that, in
  /// addition to `kill_grace`, for the end of an attempt that it killed: see docs/clusters.md.
  static constexpr std::chrono::seconds drop_patience{10};

  /// @param what must outlive it.
  void init(const trainable_start& what) { what_ = &what; }

  /// The trainable handed this directory over as a checkpoint: it need not be brought twice.
  void leave_out(const std::filesystem::path& directory) {
    const auto way = directory.lexically_normal().lexically_relative(trial_directory(*what_));
    if (way.empty() || way == "." || *way.begin() == "..")
      return;
    auto path = way.generic_string();
    if (path.back() == '/')
      path.pop_back();
    if (std::find(except_.begin(), except_.end(), path) == except_.end())
      except_.push_back(std::move(path));
  }

  [[nodiscard]] bool is_under_way() const { return under_way_; }

  /// Drops the transfer after `drop_patience`.
  template <class Self>
  void drop_soon(Self* self) const {
    delayed_send(self, what_->checkpoint_service, drop_patience,
                 saves_dropped{attempt_claim{what_->order}});
  }

  /// The attempt is over as `how`, and everything else of it is settled.
  /// @param then Called with the end to report, perhaps before this returns.
  template <class Self, class Then>
  void finish(Self* self, attempt_ended how, Then then) {
    // A node without a checkpoint service in its settings writes where its head looks: nothing to
    // bring.
    if (!what_->node->checkpoint_service || !what_->job->artifacts.wants_any())
      return then(how);
    under_way_ = true;
    if (static_cast<end_class>(how.how) == end_class::killed)
      drop_soon(self);
    keep_artifacts order{attempt_claim{what_->order}, trial_directory(*what_),
                         what_->job->artifacts, except_};
    // No time limit: the service lives on this node, always answers, and has limits of its own.
    request(self, what_->checkpoint_service, caf::infinite, std::move(order))
        .then([this, how, then](const artifacts_kept& x) mutable { settle(how, x.why, then); },
              [this, self, how, then](const caf::error& why) mutable {
                settle(how, render(self->system(), why), then);
              });
  }

private:
  const trainable_start* what_ = nullptr;
  std::vector<std::string> except_;
  bool under_way_ = false;

  template <class Then>
  void settle(attempt_ended& how, const std::string& why, Then& then) {
    under_way_ = false;
    if (!why.empty()) {
      const auto text = missing_artifacts_text(what_->node->name, why);
      how.detail += (how.detail.empty() ? "" : "\n") + text;
      how.remarks.emplace_back("artifacts");
      how.remarks.push_back(text);
    }
    then(how);
  }
};

} // namespace tune
