// SPDX-License-Identifier: BSD-3-Clause
#include "run/load_configuration.hpp"

#include "inspect/experiment_directory.hpp"
#include "run/ending.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/spec/machine_check.hpp"
#include "tune/io/spec/print.hpp"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <utility>

namespace tune::cli {

namespace {

load_request request_with(const std::vector<named_text>& overrides, const choices& all) {
  auto result = request_for(all);
  result.overrides = overrides;
  result.environment = environment_of(environ);
  return result;
}

void tell_of(const load_result& x, bool quiet) {
  warn(x.warnings, quiet);
  if (!x)
    std::cerr << to_text(x.faults) << '\n';
}

} // namespace

std::optional<loaded_spec> load_or_complain(const std::string& file,
                                            const std::vector<named_text>& with, const choices& all,
                                            bool quiet, bool needs_trainable) {
  auto wanted = request_with(with, all);
  wanted.needs_trainable = needs_trainable;
  auto result = load_spec(file, wanted);
  tell_of(result, quiet);
  return std::move(result.loaded);
}

std::optional<loaded_spec> load_recorded(const spec& recorded,
                                         const std::vector<named_text>& overrides,
                                         const choices& all, bool quiet) {
  auto wanted = request_with(overrides, all);
  wanted.is_record = true;
  wanted.needs_trainable = !is_asked(recorded);
  auto file = std::filesystem::path{recorded.ini_dir} / (recorded.experiment.name + ".ini");
  auto result = load_spec_text(print_spec(recorded, wanted), file, wanted);
  tell_of(result, quiet);
  // A record has all keys: its default for this one is not the user's choice.
  if (result && !result.loaded->what.cluster.queue_trials)
    result.loaded->origins.erase("cluster.queue_trials");
  return std::move(result.loaded);
}

void warn_of_missing_program(const loaded_spec& loaded, bool quiet) {
  if (quiet)
    return;
  if (auto missing = missing_program(loaded, environment_of(environ)))
    std::cerr << program_name() << ": warning: " << to_text(*missing) << '\n';
}

} // namespace tune::cli
