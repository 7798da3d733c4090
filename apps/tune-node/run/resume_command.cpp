// SPDX-License-Identifier: BSD-3-Clause
#include "run/resume_command.hpp"

#include "client/advice_at_rest.hpp"
#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "run/ending.hpp"
#include "run/load_configuration.hpp"
#include "run/run_here.hpp"
#include "run/way_on.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

expected<spec> spec_to_resume(const fs::path& directory) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  auto row = reader->experiment();
  if (!row)
    return row.error();
  // The head was killed in its first moments.
  if (row->spec.empty())
    return error{ec::unreadable, printable(directory.string())
                                     + ": the experiment was ended before it began, and nothing of "
                                       "it is recorded: "
                                     + program_call("run FILE") + " begins it"};
  return spec_from_json(row->spec);
}

/// Why the words do not go together with the directory; none: they do.
std::optional<error> elsewhere(const fs::path& directory, const std::vector<named_text>& words) {
  auto storage = std::find_if(words.begin(), words.end(),
                              [](const named_text& x) { return x.name == "experiment.storage"; });
  if (storage == words.end())
    return std::nullopt;
  const auto wanted = (fs::absolute(storage->text) / ".").lexically_normal();
  if (wanted == (directory.parent_path() / ".").lexically_normal())
    return std::nullopt;
  return error{ec::bad_option, "--experiment.storage " + printable(storage->text)
                                   + ": an experiment goes on where it is, in "
                                   + printable(directory.string())
                                   + "; its directory can be moved before, as a whole"};
}

/// An experiment keeps the direction of its metrics: a mode that would turn it, and cannot, is
/// refused. Other changes are seen where the record is opened.
std::optional<error> idle_mode(const loaded_spec& what, const std::vector<named_text>& words) {
  const auto is_asked_for = std::any_of(
      words.begin(), words.end(), [](const named_text& x) { return x.name == "experiment.mode"; });
  if (!is_asked_for || !has_idle_mode(what.what))
    return std::nullopt;
  return error{ec::refused, "cannot resume with another configuration: " + idle_mode_text(what.what)
                                + ", as was recorded"};
}

} // namespace

exit_code resume_experiment(const command_line& line, const resume_request& what,
                            const choices& all) {
  auto found = directory_of(what.directory);
  if (!found)
    return complain(found.error());
  auto directory = fs::absolute(*found).lexically_normal();
  if (directory.filename().empty())
    directory = directory.parent_path();
  if (auto why = elsewhere(directory, what.overrides))
    return complain(*why);
  auto recorded = spec_to_resume(directory);
  if (!recorded)
    return complain(reading_failed(recorded.error()));
  if (is_asked(*recorded)) {
    const auto how = way_on_from_end(directory);
    return complain(
        {ec::refused, directory.string() + ": "
                          + (how.empty() ? "its trials are run by a program of yours"
                                           " (ask-tell): "
                                               + executor_line(directory) + " goes on with it"
                                         : how)});
  }
  auto loaded = load_recorded(*recorded, what.overrides, all, line.quiet);
  if (!loaded)
    return exit_code::configuration;
  if (auto why = idle_mode(*loaded, what.overrides))
    return complain(*why);
  run_request run;
  run.resume = what.mode;
  run.strict = what.strict;
  run.add = what.add;
  return run_in_directory(line, run, *loaded, all, directory);
}

} // namespace tune::cli
