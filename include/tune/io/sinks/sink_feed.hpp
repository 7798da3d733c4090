/// Reports an experiment's log to a sink.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tune {

class store_reader;

/// A chosen sink and its factory.
struct chosen_sink {
  std::string name;
  /// Given to the factory.
  sink_context context = {};
  /// The factory; may throw. Not called before there is something to report.
  std::function<expected<std::unique_ptr<trial_sink>>(const sink_context&)> make = {};
};

/// Feeds one sink. Exceptions of the sink become errors. Not thread-safe.
class sink_feed {
public:
  /// @param directory The experiment's directory.
  sink_feed(std::filesystem::path directory, chosen_sink what);
  sink_feed(sink_feed&&) noexcept;
  ~sink_feed();

  /// Reports everything up to and including `committed`, which must be on disk, and how the
  /// experiment ended if it did. Goes on from where an earlier call failed.
  /// @errors `ec::refused` with the message of the exception that the sink or its factory threw;
  ///         those of `trial_sink::flush`; `ec::timeout` if there is no time left; those of
  ///         `store_reader`.
  [[nodiscard]] expected<void> catch_up(sequence committed);

  /// Position of the last entry that the sink has stored, in its own words or as far as it was
  /// told.
  [[nodiscard]] sequence cursor() const;
  /// Number of entries up to and including `committed` that the sink has not stored, or not
  /// delivered: what it was told of a span that has not ended, say, is in no service yet.
  [[nodiscard]] sequence missing(sequence committed) const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

/// The experiment of a record, as sinks are told of it.
[[nodiscard]] expected<experiment_facts> facts_in(store_reader& from);

} // namespace tune
