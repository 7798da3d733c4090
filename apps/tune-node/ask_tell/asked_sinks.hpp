/// The sinks of an experiment whose trials an executor runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"
#include "tune/io/spec/spec.hpp"
#include "tune/io/store/experiment_store.hpp"

#include <functional>
#include <memory>
#include <string>

namespace tune::cli {

/// Feeds the sinks that the configuration chooses, on threads of their own. Without any, there is
/// no thread.
class asked_sinks {
public:
  /// @param tell Takes news for people, from another thread.
  asked_sinks(const spec& what, const sink_catalogue& all, std::shared_ptr<experiment_store> store,
              const std::function<void(const std::string&)>& tell);
  asked_sinks(const asked_sinks&) = delete;
  asked_sinks& operator=(const asked_sinks&) = delete;
  ~asked_sinks();

  /// More of the experiment is on disk.
  void committed();
  /// Waits for them, as long as the configuration allows.
  void finish();

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace tune::cli
