// SPDX-License-Identifier: BSD-3-Clause
#include "config_command.hpp"

#include "output/write_rows.hpp"
#include "run/load_configuration.hpp"

#include "tune/core/printable.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/spec/print.hpp"
#include "tune/tuner/outside_check.hpp"

#include <filesystem>
#include <iostream>
#include <utility>

namespace tune::cli {

namespace {

/// Writes all values for programs.
void write_values(const loaded_spec& loaded, output_format format) {
  std::vector<object> rows;
  for (const auto& x : explained_values(loaded))
    rows.push_back({{"key", x.key}, {"value", x.text}, {"from", x.origin}});
  write_rows(rows, format, json_layout::one_line, std::cout);
}

void write_fine(const std::string& file, output_format format) {
  if (format == output_format::table)
    std::cout << file << ": fine\n";
  else
    write_row({{"file", file}, {"fine", true}}, format, std::cout);
}

/// Makes the checks of a run that look at its surroundings.
exit_code check_outside(const config_request& what, const loaded_spec& loaded,
                        output_format format) {
  if (!what.ask_tell)
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
  write_fine(what.file, format);
  return exit_code::done;
}

} // namespace

exit_code show_config(const config_request& what, const choices& all, output_format format) {
  auto loaded = load_or_complain(what.file, what.overrides, all, false, !what.ask_tell);
  if (!loaded)
    return exit_code::configuration;
  // `ask-tell` ignores this section.
  if (what.ask_tell && what.what == config_request::action::check)
    loaded->what.trainable = {};
  const auto is_text = format == output_format::table;
  if (!is_text && what.what != config_request::action::check) {
    write_values(*loaded, format);
    return exit_code::done;
  }
  switch (what.what) {
    case config_request::action::check:
      return check_outside(what, *loaded, format);
    case config_request::action::explain:
      std::cout << explain_spec(*loaded);
      break;
    case config_request::action::print:
      std::cout << print_spec(loaded->what, request_for(all));
      break;
  }
  return exit_code::done;
}

} // namespace tune::cli
