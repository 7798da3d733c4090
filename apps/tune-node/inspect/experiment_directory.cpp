// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/experiment_directory.hpp"

#include "console/text.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Some of the experiments directly below `directory`, sorted.
std::vector<std::string> experiments_below(const fs::path& directory) {
  constexpr std::size_t looked_at = 1000;
  constexpr std::size_t named = 3;
  std::vector<std::string> result;
  std::error_code failed;
  std::size_t seen = 0;
  for (fs::directory_iterator i{directory, failed}, end; !failed && i != end && seen < looked_at;
       i.increment(failed), ++seen) {
    std::error_code ignored;
    if (fs::exists(database_file(i->path()), ignored))
      result.push_back(i->path().string());
  }
  std::sort(result.begin(), result.end());
  result.resize(std::min(result.size(), named));
  return result;
}

error no_experiment(const fs::path& directory) {
  auto text = printable(directory.string()) + ": no experiment here (no experiment.db)";
  std::string below;
  for (const auto& x : experiments_below(directory))
    below += (below.empty() ? "" : ", ") + printable(x);
  return {ec::unreadable, below.empty() ? text : text + "; did you mean " + below + "?"};
}

} // namespace

expected<fs::path> directory_of(const std::string& given) {
  fs::path path = given;
  std::error_code failed;
  if (path.filename() == "experiment.db" && fs::is_regular_file(path, failed))
    path = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  auto is_shut = [&failed] { return failed == std::errc::permission_denied; };
  auto shut = [&] { return error{ec::storage, printable(given) + ": " + failed.message()}; };
  auto status = fs::status(path, failed);
  if (is_shut())
    return shut();
  if (!fs::exists(status))
    return error{ec::unreadable, printable(given) + ": no such directory"};
  if (!fs::is_directory(status))
    return error{ec::unreadable, printable(given) + ": not a directory"};
  auto is_there = fs::exists(database_file(path), failed);
  if (is_shut())
    return shut();
  if (!is_there)
    return no_experiment(path);
  return path;
}

error reading_failed(const error& why) {
  auto code = why.code == ec::refused ? ec::storage : why.code;
  return {code, printable(to_text(why))};
}

std::string checkpoint_place(const fs::path& directory, const std::string& location) {
  return location.empty() || location.starts_with(kept_outside) ? location
                                                                : (directory / location).string();
}

namespace {

expected<recorded_experiment> read_experiment(store_reader& from, const fs::path& directory) {
  auto row = from.experiment();
  if (!row)
    return reading_failed(row.error());
  auto broken = [&](const std::string& why) {
    return error{ec::storage, printable(directory.string())
                                  + ": the configuration in its database: " + printable(why)};
  };
  // The head has created the database, but has not opened the experiment yet, or died in between.
  if (row->spec.empty())
    return error{ec::unreadable,
                 printable(directory.string())
                     + ": its experiment has not begun yet; look again in a moment"};
  auto what = spec_from_json(row->spec);
  if (!what)
    return broken(to_text(what.error()));
  if (what->experiment.objectives.empty())
    return broken("it names no metric");
  return recorded_experiment{std::move(*row), std::move(*what)};
}

} // namespace

expected<opened_experiment> open_experiment(const fs::path& directory, seen_at when) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reading_failed(reader.error());
  auto held = when == seen_at::one_moment ? reader->hold() : expected<void>{};
  auto recorded = read_experiment(*reader, directory);
  if (!recorded)
    return recorded.error();
  if (!held)
    return reading_failed(held.error());
  return opened_experiment{std::move(*reader), std::move(*recorded)};
}

} // namespace tune::cli
