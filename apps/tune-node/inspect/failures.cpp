// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/failures.hpp"

#include "console/text.hpp"
#include "console/text_table.hpp"
#include "inspect/scope.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <ostream>
#include <utility>

namespace tune::cli {

namespace {

constexpr std::size_t trials_named = 5;

bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

/// "at 0x7f3a…" and "trials/00013/attempt_1_2" differ from trial to trial, and mean nothing.
std::string without_names(std::string_view line) {
  constexpr std::string_view below = "trials/";
  std::string result;
  while (!line.empty()) {
    if (line.starts_with("0x") && line.size() > 2 && is_hex(line[2])) {
      result += "0x...";
      line.remove_prefix(2);
      while (!line.empty() && is_hex(line[0]))
        line.remove_prefix(1);
    } else if (line.starts_with(below)) {
      result += "trials/...";
      line.remove_prefix(std::min(line.find_first_of(" \"':,)"), line.size()));
    } else {
      result += line[0];
      line.remove_prefix(1);
    }
  }
  return result;
}

std::string_view trimmed(std::string_view x) {
  auto first = std::min(x.find_first_not_of(" \t\r"), x.size());
  x.remove_prefix(first);
  return x.substr(0, x.find_last_not_of(" \t\r") + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    if (auto line = trimmed(text.substr(0, end)); !line.empty())
      result.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string trials_text(const failure_group& x) {
  std::string result;
  for (std::size_t i = 0; i < std::min(x.trials.size(), trials_named); ++i)
    result += (i == 0 ? "" : " ") + to_text(x.trials[i]);
  return x.trials.size() > trials_named ? result + " ..." : result;
}

} // namespace

std::string common_text(std::string_view detail) {
  auto lines = lines_of(detail);
  if (lines.empty())
    return {};
  auto result = without_names(lines.front());
  return lines.size() == 1 ? result : result + ": " + without_names(lines.back());
}

expected<std::vector<failure_group>> failures_in(store_reader& from) {
  trial_query failed;
  failed.status = trial_status::errored;
  failed.limit = std::numeric_limits<std::size_t>::max();
  auto rows = from.trials(failed);
  if (!rows)
    return rows.error();
  std::map<std::pair<std::string, std::string>, std::vector<trial_id>> groups;
  for (const auto& x : *rows) {
    auto attempts = from.failures(x.trial);
    if (!attempts)
      return attempts.error();
    auto kind = attempts->empty() ? std::string{} : std::string{to_text(attempts->back().how)};
    auto text = attempts->empty() ? x.reason : attempts->back().detail;
    groups[{std::move(kind), common_text(text)}].push_back(x.trial);
  }
  std::vector<failure_group> result;
  for (auto& [what, trials] : groups)
    result.push_back({what.first, what.second, std::move(trials)});
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& x, const auto& y) { return x.trials.size() > y.trials.size(); });
  return result;
}

void look_back(run_snapshot& on, store_reader& from) {
  if (auto failed = failures_in(from))
    on.failures = std::move(*failed);
  if (on.objectives.size() < 2)
    return;
  trial_query all;
  all.limit = std::numeric_limits<std::size_t>::max();
  auto rows = from.trials(all);
  if (!rows)
    return;
  std::vector<std::vector<value>> values;
  for (const auto& x : *rows) {
    auto& row = values.emplace_back();
    for (const auto& what : on.objectives) {
      const auto* found = x.best_metrics ? find_path(*x.best_metrics, what.metric) : nullptr;
      row.push_back(found == nullptr ? value{} : *found);
    }
    if (x.best_metrics && total_violation(on.constraints, *x.best_metrics) > 0)
      row.assign(row.size(), value{});
  }
  auto front = pareto_front(values, on.objectives);
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (front[i])
      on.pareto.push_back({(*rows)[i].trial, std::move(values[i])});
  }
}

void look_back(run_snapshot& on, const std::filesystem::path& directory) {
  if (auto from = store_reader::open(directory))
    look_back(on, *from);
}

object to_object(const failure_group& x) {
  value::list trials;
  for (auto id : x.trials)
    trials.emplace_back(to_text(id));
  object result;
  result.set("count", static_cast<std::int64_t>(x.trials.size()));
  result.set("class", x.kind);
  result.set("text", x.text);
  result.set("trials", std::move(trials));
  return result;
}

void write_failures(const std::vector<failure_group>& groups, output_format format,
                    const table_look& look, std::ostream& out) {
  value::list all;
  for (const auto& x : groups)
    all.emplace_back(to_object(x));
  switch (format) {
    case output_format::json:
      out << to_json(value{std::move(all)}) << '\n';
      return;
    case output_format::jsonl:
      for (const auto& x : all)
        out << to_json(x) << '\n';
      return;
    case output_format::csv:
      out << csv_line({"count", "class", "text", "trials"});
      for (const auto& x : groups) {
        std::string trials;
        for (auto id : x.trials)
          trials += (trials.empty() ? "" : " ") + to_text(id);
        out << csv_line({std::to_string(x.trials.size()), x.kind, x.text, trials});
      }
      return;
    case output_format::table:
      break;
  }
  if (groups.empty()) {
    out << "no trial failed\n";
    return;
  }
  text_table table{{{"count", true}, {"class"}, {"text", false, 3}, {"trials", false, 2}}};
  for (const auto& x : groups)
    table.add({std::to_string(x.trials.size()), x.kind, x.text, trials_text(x)});
  for (const auto& line : table.lines(look.width, look.colors))
    out << line << '\n';
}

} // namespace tune::cli
