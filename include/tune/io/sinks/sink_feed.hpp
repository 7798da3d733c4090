/// Reports an experiment's log to a sink that the calling program registered.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tune {

/// A chosen sink and its factory.
struct chosen_sink {
  std::string name;
  /// The factory; may throw. Not called before there is something to report.
  std::function<expected<std::unique_ptr<trial_sink>>()> make;
};

/// Feeds one sink. Exceptions of the sink become errors. Not thread-safe.
class sink_feed {
public:
  /// @param directory The experiment's directory.
  sink_feed(std::filesystem::path directory, chosen_sink what);
  sink_feed(sink_feed&&) noexcept;
  ~sink_feed();

  /// Reports everything up to and including `committed`, which must be on disk.
  /// @errors `ec::refused` with the message of the exception that the sink or its factory threw;
  ///         those of `store_reader`.
  [[nodiscard]] expected<void> catch_up(sequence committed);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace tune
