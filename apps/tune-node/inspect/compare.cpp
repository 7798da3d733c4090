// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/compare.hpp"

#include "console/human.hpp"
#include "console/later_failure.hpp"
#include "console/text.hpp"
#include "console/text_table.hpp"
#include "inspect/code_of_heads.hpp"
#include "inspect/experiment_directory.hpp"
#include "tune/core/secret_name.hpp"
#include "tune/io/json.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

namespace tune::cli {

namespace {

constexpr std::array<std::string_view, 2> no_differences{"experiment.name", "experiment.storage"};
constexpr std::size_t hash_shown = 12;

/// The beginning of each hash. A file that was edited between heads has several.
std::string short_hashes(std::string_view hashes) {
  std::string result;
  while (!hashes.empty()) {
    const auto end = std::min(hashes.find(", "), hashes.size());
    result
        += (result.empty() ? "" : ", ") + std::string{hashes.substr(0, std::min(end, hash_shown))};
    hashes.remove_prefix(std::min(end + 2, hashes.size()));
  }
  return result;
}

/// Files as changes, so that they are compared like keys.
std::vector<spec_change> code_changes(const spec& before, const spec& after) {
  auto text_in = [](const spec& x, const std::string& name) {
    auto i = std::find_if(x.code.begin(), x.code.end(),
                          [&](const named_text& y) { return y.name == name; });
    return i == x.code.end() ? std::string{} : short_hashes(i->text);
  };
  std::vector<spec_change> result;
  for (const auto* side : {&before, &after}) {
    for (const auto& x : side->code) {
      auto was = text_in(before, x.name);
      auto is = text_in(after, x.name);
      auto known = std::any_of(result.begin(), result.end(),
                               [&](const spec_change& y) { return y.key == "code." + x.name; });
      if (was != is && !known)
        result.push_back({"code." + x.name, was, is, true});
    }
  }
  return result;
}

/// What a key is set to, without what looks like a secret.
std::string shown_value(const std::string& key, const std::string& text) {
  if (text.empty())
    return text;
  const auto name = std::string_view{key}.substr(key.rfind('.') + 1);
  return names_a_secret(name) ? std::string{secret_not_shown} : without_secrets(text);
}

std::vector<spec_change> all_changes(const spec& before, const spec& after) {
  auto result = changes(before, after);
  for (auto& x : code_changes(before, after))
    result.push_back(std::move(x));
  std::erase_if(result, [](const spec_change& x) {
    return std::find(no_differences.begin(), no_differences.end(), x.key) != no_differences.end();
  });
  for (auto& x : result) {
    x.before = shown_value(x.key, x.before);
    x.after = shown_value(x.key, x.after);
  }
  return result;
}

/// Compared results, by their names in `to_object`.
constexpr std::array<std::string_view, 8> results{"status",    "trials", "errored", "reports",
                                                  "elapsed_s", "metric", "best",    "best_trial"};

/// Beside the best trial's name, that it failed.
std::string failure_beside(std::string_view name, const object& facts) {
  const auto* status = name == "best_trial" ? facts.find("best_status") : nullptr;
  return status == nullptr ? std::string{} : std::string{later_failure(to_text(*status))};
}

/// Adds a line with the statistics of all runs of the best configuration, beside the best trial's
/// own value.
void add_runs(text_table& to, const std::vector<experiment_facts>& all) {
  auto has_runs = [](const experiment_facts& x) { return x.seen.best && x.seen.best->runs; };
  if (std::none_of(all.begin(), all.end(), has_runs))
    return;
  std::vector<std::string> cells{"its configuration"};
  for (const auto& x : all)
    cells.push_back(has_runs(x) ? runs_text(*x.seen.best->runs) : "-");
  to.add(std::move(cells));
}

void write_table(const std::vector<experiment_facts>& all, const std::vector<difference>& differ,
                 const table_look& look, std::ostream& out) {
  std::vector<table_column> columns{{""}};
  for (const auto& x : all)
    columns.push_back({x.seen.experiment, true, 3});
  text_table table{std::move(columns)};
  std::vector<object> facts;
  for (const auto& x : all)
    facts.push_back(to_object(x));
  for (auto name : results) {
    std::vector<std::string> cells{std::string{name}};
    for (const auto& x : facts) {
      const auto* found = x.find(name);
      const auto* text = found == nullptr ? nullptr : found->as_string();
      if (text != nullptr)
        cells.push_back(printable(*text) + failure_beside(name, x));
      else
        cells.push_back(found == nullptr || found->is_null() ? "-" : short_text(*found));
    }
    table.add(std::move(cells));
  }
  add_runs(table, all);
  for (const auto& x : differ) {
    std::vector<std::string> cells{x.key};
    for (const auto& text : x.values)
      cells.push_back(text.empty() ? "-" : text);
    table.add(std::move(cells), tint::accent);
  }
  for (const auto& line : table.lines(look.width, look.colors))
    out << line << '\n';
  for (const auto& x : all) {
    if (!x.seen.best || !x.seen.best->config)
      continue;
    out << "best of " << printable(x.seen.experiment) << ": "
        << config_text(*x.seen.best->config, x.seen.object_parameters) << '\n';
  }
  if (differ.empty())
    out << "no key, parameter or file differs\n";
}

object with_best(const experiment_facts& x) {
  auto result = to_object(x);
  auto config = x.seen.best && x.seen.best->config ? value{*x.seen.best->config} : value{};
  result.set("best_config", std::move(config));
  return result;
}

object to_object(const difference& x) {
  value::list values;
  for (const auto& text : x.values)
    values.emplace_back(text.empty() ? value{} : value{text});
  return {{"key", x.key}, {"values", value{std::move(values)}}};
}

void write_json(const std::vector<experiment_facts>& all, const std::vector<difference>& differ,
                std::ostream& out) {
  value::list experiments;
  for (const auto& x : all)
    experiments.emplace_back(with_best(x));
  value::list keys;
  for (const auto& x : differ)
    keys.emplace_back(to_object(x));
  out << to_json(object{{"experiments", value{std::move(experiments)}},
                        {"differences", value{std::move(keys)}}})
      << '\n';
}

} // namespace

std::vector<difference> differences_of(const std::vector<experiment_facts>& all) {
  std::vector<difference> result;
  for (std::size_t i = 1; i < all.size(); ++i) {
    for (const auto& x : all_changes(all.front().what, all[i].what)) {
      auto known = std::find_if(result.begin(), result.end(),
                                [&](const difference& y) { return y.key == x.key; });
      if (known == result.end())
        known
            = result.insert(result.end(), {x.key, std::vector<std::string>(all.size(), x.before)});
      known->values[i] = x.after;
    }
  }
  return result;
}

namespace {

/// The facts to compare, with the files of the command under all heads.
expected<experiment_facts> compared_facts(const std::string& given) {
  auto directory = directory_of(given);
  if (!directory)
    return directory.error();
  auto result = facts_of(*directory);
  if (!result)
    return result;
  auto reader = store_reader::open(*directory);
  auto heads = reader ? code_of_heads(*reader) : expected<std::vector<head_code>>{reader.error()};
  if (!heads)
    return reading_failed(heads.error());
  result->what.code = mixed_code(*heads);
  return result;
}

} // namespace

expected<void> compare_experiments(const compare_request& what, output_format format,
                                   const table_look& look, std::ostream& out) {
  std::vector<experiment_facts> all;
  for (const auto& given : what.directories) {
    auto facts = compared_facts(given);
    if (!facts)
      return facts.error();
    all.push_back(std::move(*facts));
  }
  auto differ = differences_of(all);
  switch (format) {
    case output_format::table:
      write_table(all, differ, look, out);
      break;
    case output_format::json:
      write_json(all, differ, out);
      break;
    case output_format::jsonl:
      for (const auto& x : all)
        out << to_json(with_best(x)) << '\n';
      break;
    case output_format::csv: {
      std::vector<std::string> titles{"key"};
      for (const auto& x : all)
        titles.push_back(x.seen.directory);
      out << csv_line(titles);
      for (auto& x : differ) {
        x.values.insert(x.values.begin(), x.key);
        out << csv_line(x.values);
      }
      break;
    }
  }
  return {};
}

} // namespace tune::cli
