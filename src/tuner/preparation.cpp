// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/preparation.hpp"

#include "tune/io/files/script_companions.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/json.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/fit_config.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/best_trials.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/earlier.hpp"
#include "tune/tuner/needed_files.hpp"
#include "tune/tuner/recorded_spec.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Larger files are data: the start of a run must not wait until they are read.
constexpr std::uintmax_t largest_code = 64u << 20u;
/// Of a script's modules, the first in order.
constexpr std::size_t most_companions = 1'000;

error bad_source(const spec& what, const std::string& why) {
  return {ec::bad_option, "[search] points_from = " + what.search.points_from + ": " + why};
}

/// Values that could not be taken over, by parameter.
struct left_out_count {
  /// Those outside of the parameter's own values.
  std::size_t outside = 0;
  /// Those that a constraint or a condition forbids beside the others.
  std::size_t forbidden = 0;
};
using left_out_counts = std::map<std::string, left_out_count>;

/// The part of a configuration that lies in this space; parameters left out are counted.
object part_in(const search_space& space, const object& config, left_out_counts& left_out) {
  object result;
  auto all = fit_config(config, space);
  for (const auto& x : space.parameters()) {
    if (x.numbers_runs)
      all.erase(x.name);
  }
  // A condition is checked after the parameters that it reads.
  for (auto i : space.order()) {
    const auto& x = space.parameters()[i];
    const auto* given = find_parameter(all, x.name);
    if (given == nullptr)
      continue;
    auto with = result;
    with.set(x.name, *given);
    if (contains(x.what, *given) && !space.reject(fit_config(with, space), true))
      result = std::move(with);
    else if (contains(x.what, *given))
      ++left_out[x.name].forbidden;
    else
      ++left_out[x.name].outside;
  }
  return fit_config(result, space);
}

expected<std::vector<trial_row>> best_known(const spec& what, const fs::path& directory) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return bad_source(what, reader.error().detail);
  auto row = reader->experiment();
  if (!row)
    return bad_source(what, row.error().detail);
  auto there = spec_from_json(row->spec);
  if (!there || there->experiment.objectives.empty())
    return bad_source(what, "its configuration cannot be read");
  const auto& first = there->experiment.objectives.front();
  // All of them: runs of one configuration count as one, so that more may be needed than wanted.
  auto rows = best_trials(*reader, {first, there->experiment.constraints, repeat_rule_of(*there)},
                          std::numeric_limits<std::size_t>::max());
  if (!rows)
    return bad_source(what, rows.error().detail);
  if (rows->empty())
    return bad_source(what, "no trial there has reported a number for " + first.metric);
  return rows;
}

/// What the trainable names and what its scripts need beside them, as in the configuration.
std::vector<std::string> code_names(const loaded_spec& from) {
  const auto& x = from.what.trainable;
  const auto ini_dir = fs::path{from.what.ini_dir}.lexically_normal();
  auto result = files_named(from.what, *from.space);
  auto add = [&](const std::string& written) {
    auto name = fs::path{written}.lexically_normal().string();
    if (!name.empty() && std::find(result.begin(), result.end(), name) == result.end())
      result.push_back(std::move(name));
  };
  for (std::size_t i = 0, scripts = result.size(); i < scripts; ++i) {
    const fs::path script{result[i]};
    std::error_code ignored;
    if (!fs::is_regular_file(ini_dir / script, ignored))
      continue;
    auto needed = companions_of((ini_dir / script).lexically_normal());
    needed.resize(std::min(needed.size(), most_companions));
    for (const auto& file : needed)
      add(script.is_absolute() ? file.string() : file.lexically_relative(ini_dir).string());
  }
  if (x.kind == trainable_kind::command) {
    for (const auto& pair : x.templates)
      add(pair.from);
  }
  if (x.kind == trainable_kind::table)
    add(x.path);
  add(x.plugin);
  return result;
}

} // namespace

std::vector<named_text> code_of(const loaded_spec& from) {
  const auto& x = from.what;
  std::vector<named_text> result;
  for (const auto& path : code_names(from)) {
    auto file = fs::path{x.ini_dir} / path;
    std::error_code failed;
    if (!fs::is_regular_file(file, failed) || fs::file_size(file, failed) > largest_code || failed)
      continue;
    if (auto digest = digest_file(file))
      result.push_back({path, digest->hash});
  }
  return result;
}

std::vector<std::string> edited_names(const std::vector<named_text>& before,
                                      const std::vector<named_text>& now) {
  std::vector<std::string> result;
  for (const auto& x : now) {
    auto was = std::find_if(before.begin(), before.end(),
                            [&](const named_text& y) { return y.name == x.name; });
    if (was != before.end() && was->text != x.text)
      result.push_back(x.name);
  }
  return result;
}

std::vector<std::string> edited_files(const spec& before, const spec& now) {
  auto result = edited_names(before.code, now.code);
  for (auto& x : result)
    x += " was edited since the experiment ran: trials from now on run it as it is, and results"
         " before and after may not compare";
  return result;
}

expected<std::vector<object>> points_from(const loaded_spec& from, const fs::path& caller,
                                          std::vector<std::string>& omitted) {
  const auto& what = from.what;
  if (what.search.points_from.empty())
    return std::vector<object>{};
  auto rows = best_known(what, named_experiment(what.search.points_from, caller));
  if (!rows)
    return rows.error();
  std::vector<object> result;
  left_out_counts left_out;
  for (const auto& row : *rows) {
    if (result.size() >= what.search.points_from_best)
      break;
    auto point = part_in(*from.space, row.best_config ? *row.best_config : row.config, left_out);
    if (!point.empty() && std::find(result.begin(), result.end(), point) == result.end())
      result.push_back(std::move(point));
  }
  for (const auto& [name, count] : left_out) {
    auto tell = [&](std::size_t much, const std::string& why) {
      if (much > 0)
        omitted.push_back("[search] points_from: " + name + " of " + std::to_string(much)
                          + (much == 1 ? " configuration " : " configurations ") + why);
    };
    tell(count.outside, "is outside of [space] and left open");
    tell(count.forbidden,
         "does not go with the rest, by a constraint or condition of [space], and is left open");
  }
  if (result.empty() && left_out.empty())
    return bad_source(what, "none of its parameters is in [space]");
  if (result.empty())
    return bad_source(what, "no value of " + left_out.begin()->first
                                + (left_out.size() == 1 ? "" : " and others")
                                + " there lies in [space]");
  return result;
}

expected<void> look_elsewhere(loaded_spec& what, const fs::path& caller,
                              std::vector<std::string>& notes) {
  auto points = points_from(what, caller, notes);
  if (!points)
    return points.error();
  auto earlier = earlier_from(what, caller, notes);
  if (!earlier)
    return earlier.error();
  what.what.search.found_points = std::move(*points);
  what.what.search.found_earlier = std::move(*earlier);
  return {};
}

namespace {

bool is_written(const loaded_spec& what, const named_text& option) {
  return what.origins.contains("search." + option.name);
}

/// Which searcher is used where none is chosen depends on things that may change, such as
/// num_samples, and was different in earlier versions: an experiment keeps the one that it began
/// with. Options that were written are added to the recorded ones, to be compared.
void keep_searcher(const spec& before, loaded_spec& what) {
  if (!has_usual_searcher(what))
    return;
  auto written = std::exchange(what.what.search.options, before.search.options);
  what.what.search.type = before.search.type;
  for (auto& option : written) {
    if (!is_written(what, option))
      continue;
    auto& kept = what.what.search.options;
    auto same = std::find_if(kept.begin(), kept.end(),
                             [&](const named_text& x) { return x.name == option.name; });
    if (same == kept.end())
      kept.push_back(std::move(option));
    else
      same->text = std::move(option.text);
  }
}

} // namespace

bool has_usual_searcher(const loaded_spec& what) {
  return !what.origins.contains("search.type");
}

std::vector<std::string> written_search_options(const loaded_spec& what) {
  std::vector<std::string> result;
  for (const auto& option : what.what.search.options) {
    if (is_written(what, option))
      result.push_back(option.name);
  }
  return result;
}

void forget_choice_of_searcher(loaded_spec& what, const std::vector<std::string>& written) {
  what.origins.erase("search.type");
  for (const auto& option : what.what.search.options) {
    if (std::find(written.begin(), written.end(), option.name) == written.end())
      what.origins.erase("search." + option.name);
  }
}

std::vector<std::string> prepare_to_go_on(loaded_spec& what, const fs::path& directory) {
  auto before = recorded_spec(directory);
  // If it cannot be read, opening it will say why.
  if (!before)
    return {};
  keep_searcher(*before, what);
  what.what.search.found_points = before->search.found_points;
  what.what.search.found_earlier = before->search.found_earlier;
  return edited_files(*before, what.what);
}

expected<std::vector<std::string>> prepare(loaded_spec& what, const fs::path& directory,
                                           std::optional<resume_mode> resume,
                                           const fs::path& caller) {
  what.what.code = code_of(what);
  auto state = resume ? inspect_directory(directory) : directory_state::absent;
  if (state && *state == directory_state::experiment)
    return prepare_to_go_on(what, directory);
  std::vector<std::string> result;
  auto found = look_elsewhere(what, caller, result);
  if (!found)
    return found.error();
  return result;
}

} // namespace tune
