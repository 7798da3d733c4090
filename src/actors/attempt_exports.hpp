/// The exports of one attempt at the end of its trial. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trainables.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace tune {

/// Has the exports kept, and tells the trial. Lives in the state of the attempt's actor.
class attempt_exports {
public:
  /// @param what must outlive it.
  void init(const trainable_start& what) { what_ = &what; }

  /// The trial is at its end: exports are wanted.
  void begin() { begun_ = true; }
  /// The exports took longer than allowed.
  void be_late() { late_ = true; }
  /// The format cannot be exported.
  void fail(const std::string& format, std::string why) { failed_.emplace(format, std::move(why)); }

  /// The attempt is over as `how`, and all its checkpoints are settled. Keeps its exports.
  /// @param draft The name of the draft that they become.
  /// @param then  Called once the trial has been told, perhaps before this returns.
  template <class Self, class Then>
  void finish(Self* self, const attempt_ended& how, const std::filesystem::path& draft,
              std::uint64_t iteration, Then then) {
    if (exports_of(*what_).empty())
      return then();
    const auto kind = static_cast<end_class>(how.how);
    if (!begun_ && kind != end_class::finished) {
      send(self, what_->checkpoint_service,
           drop_directory{attempt_claim{what_->order},
                          attempt_directory{export_name(*what_), what_->checkpoints}});
      return then();
    }
    if (auto why = cut_short(how); !why.empty())
      fail_all(why);
    gather_exported order{
        attempt_claim{what_->order},
        {what_->checkpoints, export_name(*what_), draft, what_->job->exports, failed_}};
    request(self, what_->checkpoint_service, caf::infinite, std::move(order))
        .then([=, this](const exports_gathered& x) { keep(self, draft, iteration, x.what, then); },
              [=, this](const caf::error& why) {
                fail_all(render(self->system(), why));
                keep(self, draft, iteration, {false, failed_}, then);
              });
  }

private:
  const trainable_start* what_ = nullptr;
  bool begun_ = false;
  bool late_ = false;
  /// Formats that were not exported, and why.
  std::map<std::string, std::string> failed_;

  template <class Self, class Then>
  void keep(Self* self, const std::filesystem::path& draft, std::uint64_t iteration,
            const gathered_exports& what, Then then) {
    failed_ = what.failed;
    if (!what.is_draft) {
      tell(self, {});
      return then();
    }
    keep_draft order{
        attempt_claim{what_->order},
        {what_->checkpoints, what_->checkpoints / draft, iteration, true, what_->job->limits},
        {},
        0};
    // No time limit: the service lives on this node, always answers, and has limits of its own.
    request(self, what_->checkpoint_service, caf::infinite, std::move(order))
        .then(
            [this, self, then](const draft_kept& kept) {
              settle(self, kept);
              then();
            },
            [this, self, then](const caf::error& why) {
              settle(self, draft_kept{{}, render(self->system(), why)});
              then();
            });
  }

  [[nodiscard]] std::string late_text() const {
    const auto most = std::chrono::duration<double>{what_->job->export_time}.count();
    return "it was cut short: it took longer than export_timeout, which is " + to_text(value{most})
           + " s";
  }

  /// Why the exports may be incomplete; empty: the attempt ended well.
  [[nodiscard]] std::string cut_short(const attempt_ended& how) const {
    if (late_)
      return late_text();
    const auto kind = static_cast<end_class>(how.how);
    const auto well = kind == end_class::finished || kind == end_class::stopped;
    if (well && (!how.has_status || how.exit_status == 0))
      return {};
    auto why = how.detail;
    if (why.empty() && how.has_status)
      why = "exit status " + std::to_string(how.exit_status);
    return "it was cut short" + (why.empty() ? why : ": " + why);
  }

  void fail_all(const std::string& why) {
    for (const auto& format : what_->job->exports)
      failed_.emplace(format, why);
  }

  template <class Self>
  void settle(Self* self, const draft_kept& kept) {
    if (!kept.why.empty())
      fail_all(kept.why);
    tell(self, kept.what);
  }

  template <class Self>
  void tell(Self* self, const safe_checkpoint& kept) const {
    attempt_exported result;
    result.attempt = what_->order.attempt;
    result.location = kept.location;
    result.bytes = kept.bytes;
    for (const auto& format : what_->job->exports) {
      auto why = failed_.find(format);
      const auto failed = why != failed_.end();
      result.formats.push_back(format);
      result.paths.push_back(failed ? std::string{} : kept.location + "/" + format);
      result.whys.push_back(failed ? why->second : std::string{});
    }
    send(self, what_->trial, std::move(result));
  }
};

} // namespace tune
