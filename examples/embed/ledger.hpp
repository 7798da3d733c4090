/// A sink of one's own: one class and one entry of a catalogue.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tune/core/seam/trial_sink.hpp>

#include <fstream>
#include <string>

namespace embed {

/// Writes a line for each report of each trial into one file, anew whenever the experiment goes on.
class ledger : public tune::trial_sink {
public:
  /// Throws where the file cannot be opened.
  explicit ledger(const std::string& file);

  void started(const tune::log_place& where, const tune::on::placed& what,
               const tune::object& config) override;
  void reported(const tune::log_place& where, const tune::report& what) override;
  void flush(tune::sequence place) override;

private:
  std::ofstream to_;
};

/// How the INI file and `list sinks` know it.
[[nodiscard]] tune::sink_catalogue::entry ledger_entry();

} // namespace embed
