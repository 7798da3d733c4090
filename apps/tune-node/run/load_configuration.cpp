// SPDX-License-Identifier: BSD-3-Clause
#include "run/load_configuration.hpp"

#include "console/text.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/spec/machine_check.hpp"
#include "tune/io/spec/print.hpp"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

std::optional<loaded_spec> load_or_complain(const std::string& file,
                                            const std::vector<named_text>& with, const choices& all,
                                            bool quiet, bool needs_trainable) {
  load_request wanted;
  wanted.overrides = with;
  wanted.environment = environment_of(environ);
  wanted.schedulers = all.schedulers;
  wanted.searchers = all.searchers;
  wanted.stoppers = all.stoppers;
  wanted.sinks = all.sinks;
  wanted.trainables = &all.trainables;
  wanted.needs_trainable = needs_trainable;
  auto result = load_spec(file, wanted);
  for (const auto& warning : quiet ? std::vector<std::string>{} : result.warnings)
    std::cerr << program_name() << ": warning: " << printable(warning) << '\n';
  if (!result)
    std::cerr << to_text(result.faults) << '\n';
  return std::move(result.loaded);
}

std::optional<loaded_spec> load_recorded(const spec& recorded,
                                         const std::vector<named_text>& overrides,
                                         const choices& all, bool quiet) {
  load_request wanted;
  wanted.overrides = overrides;
  wanted.environment = environment_of(environ);
  wanted.schedulers = all.schedulers;
  wanted.searchers = all.searchers;
  wanted.stoppers = all.stoppers;
  wanted.sinks = all.sinks;
  wanted.trainables = &all.trainables;
  wanted.is_record = true;
  auto file = fs::path{recorded.ini_dir} / (recorded.experiment.name + ".ini");
  auto result = load_spec_text(print_spec(recorded, wanted), file, wanted);
  for (const auto& warning : quiet ? std::vector<std::string>{} : result.warnings)
    std::cerr << program_name() << ": warning: " << printable(warning) << '\n';
  if (!result)
    std::cerr << to_text(result.faults) << '\n';
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
