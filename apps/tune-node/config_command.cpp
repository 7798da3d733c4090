// SPDX-License-Identifier: BSD-3-Clause
#include "config_command.hpp"

#include "run/run_command.hpp"

#include "tune/core/printable.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/spec/print.hpp"
#include "tune/tuner/outside_check.hpp"

#include <filesystem>
#include <iostream>
#include <utility>

namespace tune::cli {

namespace {

/// What a run would find out when it has begun to look around.
exit_code check_outside(const config_request& what, const loaded_spec& loaded) {
  warn_of_missing_program(loaded, false);
  std::vector<std::string> notes;
  config_faults faults;
  for (auto& each : faults_outside(loaded, std::filesystem::current_path(), notes))
    faults.add(std::move(each));
  for (const auto& each : notes)
    std::cerr << program_name() << ": warning: " << printable(each) << '\n';
  if (!faults.empty()) {
    std::cerr << to_text(faults) << '\n';
    return exit_code::configuration;
  }
  std::cout << what.file << ": fine\n";
  return exit_code::done;
}

} // namespace

exit_code show_config(const config_request& what, const choices& all) {
  auto loaded = load_or_complain(what.file, what.overrides, all);
  if (!loaded)
    return exit_code::configuration;
  switch (what.what) {
    case config_request::action::check:
      return check_outside(what, *loaded);
    case config_request::action::explain:
      std::cout << explain_spec(*loaded);
      break;
    case config_request::action::print: {
      load_request known;
      known.schedulers = all.schedulers;
      known.searchers = all.searchers;
      known.stoppers = all.stoppers;
      known.sinks = all.sinks;
      known.trainables = &all.trainables;
      std::cout << print_spec(loaded->what, known);
      break;
    }
  }
  return exit_code::done;
}

} // namespace tune::cli
