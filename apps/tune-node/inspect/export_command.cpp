// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/export_command.hpp"

#include "client/passing_directory.hpp"
#include "client/record_copy.hpp"
#include "console/human.hpp"
#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "run/ending.hpp"
#include "run/interrupts.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/exports/export_record.hpp"
#include "tune/io/exports/optuna_export.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using form = export_request::form;

/// The place of the copy, absolute.
fs::path place_of(const export_request& what, const std::string& experiment) {
  if (!what.to.empty())
    return fs::absolute(what.to).lexically_normal();
  auto name = fs::path{experiment};
  switch (what.what) {
    case form::optuna:
      name += ".optuna.db";
      break;
    case form::tensorboard:
      name += ".tensorboard";
      break;
    case form::csv:
      name += ".results.csv";
      break;
    case form::jsonl:
      name += ".events.jsonl";
      break;
    case form::mlflow:
      return {};
  }
  return fs::absolute(name.filename());
}

void say(const command_line& line, const std::string& text) {
  if (!line.quiet)
    std::cerr << program_name() + ": " + printable(text) + "\n";
}

expected<void> to_optuna(const command_line& line, const fs::path& directory,
                         const fs::path& place) {
  auto done = export_to_optuna(directory, place);
  if (!done)
    return done.error();
  for (const auto& name : done->left_out)
    say(line, "the parameter " + name
                  + " has values that no distribution of Optuna has: it is an attribute of trials");
  if (!done->run_parameter.empty())
    say(line, "the parameter " + done->run_parameter
                  + " numbers the runs of a configuration, and was not searched: it is an attribute"
                    " of trials");
  std::cout << place.string() << '\n';
  say(line, counted(done->trials, "trial") + ", "
                + counted(done->intermediate_values, "intermediate value"));
  return {};
}

expected<void> to_sink(const command_line& line, const export_request& what,
                       const fs::path& directory, const fs::path& place,
                       const sink_catalogue& sinks, const std::string& shown) {
  static const std::map<form, std::pair<const char*, const char*>> places{
      {form::tensorboard, {"tensorboard", "dir"}},
      {form::csv, {"csv", "file"}},
      {form::jsonl, {"jsonl", "file"}},
      {form::mlflow, {"mlflow", ""}}};
  const auto& [name, option] = places.at(what.what);
  std::map<std::string, std::string> written;
  if (what.what != form::mlflow)
    written.emplace(option, place.string());
  if (!what.url.empty())
    written.emplace("url", what.url);
  if (!what.name.empty())
    written.emplace("experiment", what.name);
  const auto* entry = sinks.find(name);
  if (entry == nullptr)
    return error{ec::unknown_name, std::string{"this program has no sink "} + name};
  // Each try waits and tries several times by itself.
  auto done = export_record(
      directory, *entry, written, [](const error&) { return false; }, shown);
  if (!done)
    return done.error();
  if (what.what != form::mlflow)
    std::cout << place.string() << '\n';
  say(line, "exported what " + counted(*done, "event") + " of the record "
                + (*done == 1 ? "tells" : "tell"));
  return {};
}

/// @param shown As in `export_record`.
exit_code export_here(const command_line& line, const export_request& what,
                      const std::string& where, const sink_catalogue& sinks,
                      const std::string& shown = {}) {
  auto directory = directory_of(where);
  if (!directory)
    return complain(directory.error());
  auto known = open_experiment(*directory);
  if (!known)
    return complain(known.error());
  const auto whole = fs::absolute(*directory).lexically_normal();
  const auto place = place_of(what, known->recorded.what.experiment.name);
  auto done = what.what == form::optuna ? to_optuna(line, whole, place)
                                        : to_sink(line, what, whole, place, sinks, shown);
  return done ? exit_code::done : complain(done.error());
}

} // namespace

exit_code export_experiment(const command_line& line, const export_request& what,
                            const sink_catalogue& sinks) {
  return words_to_head().empty() ? export_here(line, what, what.directory, sinks)
                                 : send_record(what.directory);
}

exit_code export_from_head(const command_line& line, const at_head_request& from,
                           const export_request& what, const sink_catalogue& sinks,
                           const table_look& look) {
  hold_signals();
  auto room = passing_directory::make();
  if (!room)
    return complain(room.error());
  copy_draft draft;
  const auto leave = [](int signal) { std::_Exit(128 + signal); };
  const interrupts watch{[&](int signal) {
                           static_cast<void>(draft.abandon());
                           (*room)->remove();
                           leave(signal);
                         },
                         leave};
  const auto copy = (*room)->path() / "record";
  const auto code = receive_record(from, copy, look, draft);
  return code == exit_code::done ? export_here(line, what, copy.string(), sinks, what.directory)
                                 : code;
}

} // namespace tune::cli
