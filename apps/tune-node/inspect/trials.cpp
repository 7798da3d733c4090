// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/trials.hpp"

#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "inspect/policy.hpp"
#include "inspect/story.hpp"
#include "output/write_trials.hpp"
#include "tune/core/value.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>

namespace tune::cli {
namespace {

namespace fs = std::filesystem;

expected<std::vector<objective>> objectives_of(store_reader& from, const fs::path& directory) {
  auto row = from.experiment();
  if (!row)
    return reading_failed(row.error());
  auto what = spec_from_json(row->spec);
  if (!what)
    return error{ec::storage, printable(database_file(directory).string()
                                        + ": the configuration in it: " + to_text(what.error()))};
  return what->experiment.objectives;
}

/// What `--status`, `--sort`, `--reverse` and `--limit` choose.
expected<std::vector<listed_trial>> chosen(store_reader& from, const trials_request& what,
                                           const std::vector<objective>& objectives) {
  constexpr auto all = std::numeric_limits<std::size_t>::max();
  bool sorted_by_store = what.sort == "trial";
  trial_query which;
  which.status = what.status;
  which.descending = sorted_by_store && what.reverse;
  which.limit = sorted_by_store && what.limit ? static_cast<std::size_t>(*what.limit) : all;
  auto found = from.trials(which);
  if (!found)
    return reading_failed(found.error());
  std::vector<listed_trial> rows;
  rows.reserve(found->size());
  for (const auto& x : *found)
    rows.push_back(listed(x, objectives));
  if (sorted_by_store)
    return rows;
  if (auto sorted = sort_trials(rows, objectives, what.sort, what.reverse); !sorted)
    return sorted.error();
  if (what.limit && *what.limit < rows.size())
    rows.resize(static_cast<std::size_t>(*what.limit));
  return rows;
}

} // namespace

listed_trial listed(const trial_row& x, const std::vector<objective>& objectives) {
  listed_trial result;
  result.trial = x.trial;
  result.status = x.status;
  result.iterations = x.iterations;
  for (const auto& what : objectives) {
    const auto* found = x.best_metrics ? find_path(*x.best_metrics, what.metric) : nullptr;
    result.objectives.push_back(found == nullptr ? value{} : *found);
  }
  result.config = std::make_shared<const object>(x.best_config ? *x.best_config : x.config);
  result.reason = x.reason;
  result.failures = x.failures;
  result.age = x.time_total;
  return result;
}

expected<void> show_trials(const trials_request& what, output_format format, const table_look& look,
                           std::ostream& out) {
  auto directory = directory_of(what.directory);
  if (!directory)
    return directory.error();
  auto from = store_reader::open(*directory);
  if (!from)
    return reading_failed(from.error());
  auto objectives = objectives_of(*from, *directory);
  if (!objectives)
    return objectives.error();
  if (what.policy)
    return write_policy(*from, *what.policy, out);
  if (!what.why) {
    auto rows = chosen(*from, what, *objectives);
    if (!rows)
      return rows.error();
    write_trials(*rows, *objectives, format, look, out);
    return {};
  }
  auto story = read_story(*from, *what.why, objectives->front());
  if (!story)
    return reading_failed(story.error());
  if (!*story)
    return error{ec::unknown_name,
                 printable(directory->string()) + ": there is no trial " + to_text(*what.why)};
  write_story(**story, *objectives, format, look, out);
  return {};
}

} // namespace tune::cli
