/// Tells a sink of the program's own what an experiment's log says.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tune {

/// A sink that was chosen, and how it is made.
struct chosen_sink {
  std::string name;
  /// May throw; nothing is called before there is something to tell.
  std::function<expected<std::unique_ptr<trial_sink>>()> make;
};

/// For one thread. Whatever the sink throws becomes an error here.
class sink_feed {
public:
  /// @param directory of an experiment.
  sink_feed(std::filesystem::path directory, chosen_sink what);
  sink_feed(sink_feed&&) noexcept;
  ~sink_feed();

  /// Tells all up to and with `committed`, which must be on disk.
  /// @errors `ec::refused` with what the sink or its factory threw; those of `store_reader`.
  [[nodiscard]] expected<void> catch_up(sequence committed);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace tune
