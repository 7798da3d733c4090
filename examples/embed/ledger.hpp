/// A user-defined sink: one class and one entry of a catalogue.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tune/core/seam/trial_sink.hpp>

#include <fstream>
#include <string>

namespace embed {

/// Writes a line for each report of each trial into one file, which starts afresh whenever the
/// experiment resumes.
class ledger : public tune::trial_sink {
public:
  /// Throws if the file cannot be opened.
  explicit ledger(const std::string& file);

  void started(const tune::log_place& where, const tune::on::placed& what,
               const tune::object& config) override;
  void reported(const tune::log_place& where, const tune::report& what) override;
  [[nodiscard]] tune::expected<void> flush(tune::sequence place) override;

private:
  std::ofstream to_;
};

/// The entry by which the INI file and `list sinks` know it.
[[nodiscard]] tune::sink_catalogue::entry ledger_entry();

} // namespace embed
