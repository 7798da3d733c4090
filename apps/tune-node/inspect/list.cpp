// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/list.hpp"

#include "tune/io/spec/keys.hpp"

#include <ostream>

namespace tune::cli {

namespace {

/// A key of `[log]` as an option.
option_spec log_option(std::string_view key) {
  const auto* found = find_key("log", key);
  auto result = found->rule;
  result.fallback = default_text(*found);
  return result;
}

/// Sinks that write results beside the record. Each is chosen by its keys of `[log]`.
std::vector<listed_entry> sinks(const sink_catalogue& own) {
  std::vector<listed_entry> result{
      {"trial_files",
       "params.json, result.jsonl, progress.csv and error.txt in the directory of each trial",
       "[log] trial_files",
       {log_option("trial_files")}},
      {"runtime_log",
       "a file of lines for people about all that happens, in the experiment's directory",
       "[log] file",
       {log_option("file"), log_option("level")}}};
  for (auto& x : listed(own))
    result.push_back(std::move(x));
  return result;
}

/// The built-in keys of `[stop]` take texts of their own, and no options.
std::vector<listed_entry> stoppers(const stopper_catalogue& own) {
  constexpr auto source = "docs/ini.md, [stop]";
  std::vector<listed_entry> result{
      {"when", "ends a trial whose report meets a condition", source, {}},
      {"all_when", "ends the experiment once a report meets a condition", source, {}},
      {"plateau", "ends a trial whose last results hardly differ", source, {}},
      {"experiment_plateau", "ends the experiment once its best values hardly differ", source, {}}};
  for (auto& x : listed(own))
    result.push_back(std::move(x));
  return result;
}

} // namespace

std::vector<listed_entry> listed(const trainable_registry& from) {
  std::vector<listed_entry> result;
  for (const auto* x : from.entries()) {
    std::string kind = x->actor ? "actor" : x->maker ? "class" : "function";
    result.push_back({x->name, x->summary.empty() ? kind : kind + ": " + x->summary, "", {}});
  }
  return result;
}

void show_list(const list_request& what, const choices& all, output_format format,
               const table_look& look, std::ostream& out) {
  std::vector<listed_entry> entries;
  switch (what.what) {
    case list_request::part::searchers:
      entries = listed(all.searchers);
      break;
    case list_request::part::schedulers:
      entries = listed(all.schedulers);
      break;
    case list_request::part::stoppers:
      entries = stoppers(all.stoppers);
      break;
    case list_request::part::trainables:
      entries = listed(all.trainables);
      break;
    case list_request::part::sinks:
      entries = sinks(all.sinks);
      break;
    case list_request::part::experiments:
      return;
  }
  if (entries.empty() && format == output_format::table)
    out << "none\n";
  else
    write_catalogue(entries, format, look, out);
}

} // namespace tune::cli
