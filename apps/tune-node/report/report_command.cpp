// SPDX-License-Identifier: BSD-3-Clause
#include "report/report_command.hpp"

#include "console/text.hpp"
#include "inspect/compare.hpp"
#include "inspect/experiment_directory.hpp"
#include "output/write_file.hpp"
#include "report/redaction.hpp"
#include "tune/io/spec/print.hpp"

#include <chrono>
#include <ostream>
#include <set>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// A name that no other experiment of the report has.
std::string new_label(const std::string& name, std::set<std::string>& used) {
  auto result = name;
  for (int number = 2; !used.insert(result).second; ++number)
    result = name + " (" + std::to_string(number) + ")";
  return result;
}

/// Without the explanations, which `config print` gives.
std::string without_comments(const std::string& ini) {
  std::string result;
  for (std::size_t at = 0; at < ini.size();) {
    const auto end = std::min(ini.find('\n', at), ini.size());
    if (ini[at] != '#')
      result.append(ini, at, end - at).append("\n");
    at = end + 1;
  }
  return result;
}

error as_error(const view_fault& why) {
  return {ec::storage, why.detail};
}

expected<reported_experiment> read_experiment(const std::string& given, const choices& all,
                                              std::set<std::string>& labels) {
  auto found = directory_of(given);
  if (!found)
    return found.error();
  auto directory = fs::absolute(*found).lexically_normal();
  if (directory.filename().empty())
    directory = directory.parent_path();
  views from{directory};
  const auto name = from.names().front();
  auto watched = from.watch(name);
  if (const auto* fault = std::get_if<view_fault>(&watched))
    return as_error(*fault);
  auto facts = gather_study(*std::get<views::watched_ptr>(watched), directory.string());
  if (!facts)
    return facts.error();
  reported_experiment result;
  result.label = new_label(facts->what.name, labels);
  auto answers = answers_for_report(from, name, result.label);
  if (const auto* fault = std::get_if<view_fault>(&answers))
    return as_error(*fault);
  result.answers = std::move(std::get<report_answers>(answers));
  add_importance(facts->what, result.answers.importance);
  facts->what.front = result.answers.front;
  result.found = all_findings(facts->what);
  facts->configuration = redacted(std::move(facts->configuration));
  result.ini = without_comments(print_spec(facts->configuration, request_for(all)));
  result.facts = std::move(*facts);
  return result;
}

std::vector<compared_key> differences_in(const std::vector<reported_experiment>& all) {
  std::vector<experiment_facts> facts;
  for (const auto& x : all) {
    facts.emplace_back();
    facts.back().what = x.facts.configuration;
    facts.back().what.code = x.facts.code;
  }
  std::vector<compared_key> result;
  for (auto& x : differences_of(facts))
    result.push_back({std::move(x.key), std::move(x.values)});
  return result;
}

} // namespace

expected<report_parts> report_of(const report_request& what, const choices& all) {
  report_parts result;
  std::set<std::string> labels;
  for (const auto& given : what.directories) {
    auto one = read_experiment(given, all, labels);
    if (!one)
      return one.error();
    result.experiments.push_back(std::move(*one));
  }
  if (result.experiments.size() > 1)
    result.differences = differences_in(result.experiments);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  result.made = utc_text(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  result.version = TUNE_VERSION;
  return result;
}

expected<void> write_report(const report_request& what, const choices& all, std::ostream& out) {
  auto parts = report_of(what, all);
  if (!parts)
    return parts.error();
  auto scripts = scripts_of_program();
  if (!scripts)
    return scripts.error();
  const auto file = what.file.empty() ? parts->experiments.front().label + ".html" : what.file;
  const auto page = report_html(*parts, *scripts);
  if (file == "-") {
    out << page;
    return {};
  }
  if (auto written = write_file(file, page); !written)
    return written;
  out << printable(file) << '\n';
  return {};
}

} // namespace tune::cli
