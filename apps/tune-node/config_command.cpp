// SPDX-License-Identifier: BSD-3-Clause
#include "config_command.hpp"

#include "run/run_command.hpp"

#include "tune/io/spec/print.hpp"

#include <iostream>

namespace tune::cli {

exit_code show_config(const config_request& what, const choices& all) {
  auto loaded = load_or_complain(what.file, what.overrides, all);
  if (!loaded)
    return exit_code::configuration;
  switch (what.what) {
    case config_request::action::check:
      warn_of_missing_program(*loaded, false);
      std::cout << what.file << ": fine\n";
      break;
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
