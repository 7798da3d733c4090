/// The steps of a checkup, and what they come to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exit_code.hpp"
#include "output/format.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// What a step of a checkup found.
enum class step_state : std::uint8_t {
  fine,
  /// It works, but not as well as it could.
  warned,
  failed,
  /// It could not be looked at, since an earlier step failed, or nothing listens there.
  skipped,
};

/// "ok", "warning", "failed", "skipped".
[[nodiscard]] std::string_view to_text(step_state x);

struct checkup_step {
  /// One word, such as "TLS".
  std::string name;
  step_state state = step_state::fine;
  /// What was found, in one line.
  std::string detail;
  /// What to do about it; empty: nothing.
  std::string remedy = {};
  /// How the program ends if this step is the first that failed.
  exit_code code = exit_code::done;
  /// The address of the head that it is about, "head:7700"; empty: it is about this machine.
  std::string address = {};
  /// It failed since nothing listens there.
  bool is_refused = false;
};

/// The exit code of the first step that failed; `done` if none did.
[[nodiscard]] exit_code code_of(const std::vector<checkup_step>& steps);

/// Writes the steps: lines for people, one object in JSON, rows in CSV and JSON lines.
void write_checkup(const std::vector<checkup_step>& steps, output_format format,
                   const table_look& look, std::ostream& out);

} // namespace tune::cli
