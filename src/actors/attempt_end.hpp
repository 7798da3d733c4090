/// The end of a program's attempt, as it comes together. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/wire.hpp"
#include "tune/core/trial/costs.hpp"
#include "tune/core/trial/file_remarks.hpp"
#include "tune/io/process/exit_judgement.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Joins how the program ended with what was in the way of its files, and with what is left to say
/// to people.
class attempt_end {
public:
  /// @param note What was in the way of its files when it began; empty: nothing.
  void begin(attempt_key attempt, std::string note) {
    told_.attempt = attempt;
    note_ = std::move(note);
  }

  /// A remark for people, to be sent with the next report, or with the end.
  void remark_on(std::string about, std::string text) {
    remarks_.push_back(std::move(about));
    remarks_.push_back(std::move(text));
  }
  /// Takes the remarks that were not sent yet: see `attempt_report`.
  [[nodiscard]] std::vector<std::string> take_remarks() { return std::exchange(remarks_, {}); }

  void came_late() { told_.came_late = true; }
  void costs(const cost_sheet& all) { told_.costs.content = to_record(all); }

  void is_judged(exit_judgement how) {
    told_.how = static_cast<std::uint8_t>(how.how);
    told_.detail = std::move(how.detail);
    told_.has_status = how.exit_status.has_value();
    told_.exit_status = how.exit_status.value_or(0);
    told_.remarks = take_remarks();
  }

  /// All of its output is where it belongs, except what is missing. Call after `is_judged`.
  /// @param missing Why the files are not complete; empty: they are.
  void output_is_closed(const std::string& missing) {
    const auto text = missing.empty() ? missing : missing_output_text(missing);
    for (const auto& more : {note_, text}) {
      if (!more.empty())
        told_.detail += (told_.detail.empty() ? "" : "\n") + more;
    }
    // Nobody reads the details of a trial that went well, so this is a remark as well.
    if (!text.empty())
      told_.remarks.insert(told_.remarks.end(), {"output", text});
  }

  /// The end to report.
  [[nodiscard]] attempt_ended take() { return std::move(told_); }

private:
  attempt_ended told_;
  std::string note_;
  std::vector<std::string> remarks_;
};

} // namespace tune
