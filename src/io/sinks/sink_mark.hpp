/// How far a sink is, kept in a small file of the experiment's directory. Private to the sinks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace tune {

/// Content of the file.
struct sink_mark {
  /// Last event that the sink has stored.
  sequence seq = 0;
  /// Identity of the experiment; see `experiment_facts`.
  std::string experiment;
  /// Start of the machine during which that was stored.
  std::string boot;
  /// Whether all of it was on disk then, not only written.
  bool synced = false;
  /// What the sink needs besides.
  object state;
};

/// The directory of sinks in an experiment's directory.
[[nodiscard]] std::filesystem::path sinks_directory(const std::filesystem::path& experiment);

/// A place that `[sinks]` names: relative ones stand against the experiment's directory.
[[nodiscard]] std::filesystem::path sink_place(const std::filesystem::path& experiment,
                                               const std::string& given);

/// One sink's file.
class sink_mark_file {
public:
  /// @param directory The experiment's. @param sink Its name.
  sink_mark_file(const std::filesystem::path& directory, const std::string& sink);

  /// The mark of this experiment, if what it speaks of can be there still: the machine has not gone
  /// down since it was only written.
  [[nodiscard]] std::optional<sink_mark> read(const std::string& experiment) const;
  /// The same, whether or not it can be there still: what the sink may take for its own.
  [[nodiscard]] std::optional<sink_mark> read_last(const std::string& experiment) const;
  /// Writes it as of this start of the machine.
  /// @errors `ec::unreachable` with the path and the reason.
  [[nodiscard]] expected<void> write(sink_mark what) const;

private:
  std::filesystem::path file_;
};

/// The error as one that may pass: disks fill up, and are emptied again.
[[nodiscard]] error when_stored(const error& why);

} // namespace tune
