// SPDX-License-Identifier: BSD-3-Clause
#include "ledger.hpp"

#include <stdexcept>

namespace embed {

using namespace tune;

ledger::ledger(const std::string& file) : to_{file} {
  if (!to_)
    throw std::runtime_error{"cannot write " + file};
}

void ledger::started(const log_place&, const on::placed& what, const object& config) {
  to_ << "trial " << to_text(what.trial) << " begins with " << to_text(value{config}) << '\n';
}

void ledger::reported(const log_place&, const report& what) {
  to_ << "trial " << to_text(what.trial) << " at " << what.iteration << ": "
      << to_text(what.metrics ? value{*what.metrics} : value{}) << '\n';
}

expected<void> ledger::flush(sequence) {
  // Most errors become a warning of the run, and end this sink's work.
  if (!to_.flush())
    return error{ec::storage, "the disk is full"};
  return {};
}

sink_catalogue::entry ledger_entry() {
  option_spec file{"file", option_kind::text, "ledger.txt"};
  file.meaning = "its name, in the experiment's directory";
  return {"ledger",
          "a line for each report, all trials in one file",
          "",
          {file},
          [](const options& with, const sink_context& of) {
            return expected<std::unique_ptr<trial_sink>>{
                std::make_unique<ledger>(of.directory + "/" + with.text("file"))};
          }};
}

} // namespace embed
