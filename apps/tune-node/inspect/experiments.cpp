// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/experiments.hpp"

#include "console/human.hpp"
#include "console/later_failure.hpp"
#include "console/text.hpp"
#include "console/text_table.hpp"
#include "inspect/experiment_directory.hpp"
#include "output/write_rows.hpp"
#include "run/snapshot.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/control/control_client.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/object_parameters.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <ostream>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

std::string utc_text(std::int64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&seconds, &parts) == nullptr)
    return {};
  auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

namespace {

std::string full_path(const fs::path& directory) {
  auto result = fs::absolute(directory).lexically_normal();
  return (result.filename().empty() ? result.parent_path() : result).string();
}

std::vector<fs::path> experiments_in(const fs::path& storage) {
  std::error_code failed;
  if (fs::exists(database_file(storage), failed))
    return {storage};
  std::vector<fs::path> result;
  for (fs::directory_iterator i{storage, failed}, end; !failed && i != end; i.increment(failed)) {
    std::error_code ignored;
    if (fs::exists(database_file(i->path()), ignored))
      result.push_back(i->path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

bool has_runs(const experiment_facts& x) {
  return x.seen.best && x.seen.best->runs;
}

/// "queued 2" for one that its head does not serve yet, "without a node" for one that none can run.
std::string status_text(const experiment_facts& x) {
  if (const auto* aside = x.allocation.find("stands_aside");
      aside != nullptr && *aside == value{true})
    return "without a node";
  const auto* place = x.allocation.find("place");
  const auto* number = place == nullptr ? nullptr : place->as_int();
  return number == nullptr || *number == 0 ? x.status : "queued " + std::to_string(*number);
}

/// What a standing head says of an experiment that it has now; empty for any other.
std::string standing_text(const experiment_facts& x, std::string_view name) {
  const auto* found = x.allocation.find(name);
  return found == nullptr ? std::string{} : to_text(*found);
}

void write_table(const std::vector<experiment_facts>& all, const table_look& look,
                 std::ostream& out) {
  text_table table{{{"experiment"},
                    {"status"},
                    {"user", false, 1, true},
                    {"priority", true, 1, true},
                    {"trials", true},
                    {"errored", true},
                    {"metric", false, 2},
                    {"best", true},
                    {"its configuration", false, 1, true},
                    {"time", true},
                    {"created", false, 3},
                    {"directory", false, 4}}};
  for (const auto& x : all) {
    const auto best = best_value(x.seen);
    const auto later = x.seen.best ? later_failure(x.seen.best->status) : std::string_view{};
    table.add({x.seen.experiment, status_text(x), standing_text(x, "user"),
               standing_text(x, "priority"), std::to_string(known_trials(x.seen)),
               std::to_string(count_of(x.seen, trial_status::errored)),
               x.seen.objectives.front().metric,
               best.is_null() ? "-" : short_text(best) + std::string{later},
               has_runs(x) ? runs_text(*x.seen.best->runs) : "", duration_text(x.seen.elapsed),
               x.created, x.seen.directory},
              x.status == "running" ? tint::good : tint::plain);
  }
  for (const auto& line : table.lines(look.width, look.colors))
    out << line << '\n';
}

/// Facts without nested objects: of the runs' statistics count, mean and error, named like the
/// columns of `trials`; no quota.
object flat(const experiment_facts& x) {
  auto result = to_object(x);
  result.erase("runs");
  result.erase("quota");
  auto runs = has_runs(x) ? to_object(*x.seen.best->runs) : object{};
  for (const char* name : {"count", "mean", "error"}) {
    const auto* found = runs.find(name);
    result.set(std::string{"runs_"} + name, found == nullptr ? value{} : *found);
  }
  return result;
}

void write_for_programs(const std::vector<experiment_facts>& all, output_format format,
                        std::ostream& out) {
  const auto is_csv = format == output_format::csv;
  std::vector<object> rows;
  for (const auto& x : all)
    rows.push_back(is_csv ? flat(x) : to_object(x));
  if (is_csv)
    write_csv(titles_of(flat(experiment_facts{})), rows, out);
  else
    write_rows(rows, format, json_layout::row_per_line, out);
}

/// The record has the time of its last event alone. A head that does not answer soon is passed
/// over.
void ask_head(experiment_facts& x, const fs::path& directory) {
  constexpr std::chrono::seconds patience{2};
  auto answer = ask_control(directory, {}, patience);
  if (!answer || !answer->status)
    return;
  x.seen.elapsed = std::max(x.seen.elapsed, answer->status->elapsed);
  x.allocation = answer->status->allocation;
  x.waits_for = answer->status->waits_for;
}

} // namespace

expected<experiment_facts> facts_of(const fs::path& directory) {
  auto opened = open_experiment(directory);
  if (!opened)
    return opened.error();
  auto& [reader, recorded] = *opened;
  auto& [row, what] = recorded;
  const auto fixed = frame_of(what, full_path(directory));
  auto seen = recorded_snapshot(reader, row, fixed);
  if (!seen)
    return reading_failed(seen.error());
  experiment_facts result;
  result.seen = std::move(*seen);
  result.status = row.status;
  if (row.status == "running" && !is_led(directory))
    result.status = unled_state(is_asked(what));
  else if (row.status == "running")
    ask_head(result, directory);
  result.what = std::move(what);
  result.created_ms = row.created_ms;
  result.created = utc_text(row.created_ms);
  result.reports = row.results;
  return result;
}

object to_object(const experiment_facts& x) {
  auto count = [](std::uint64_t n) { return value{static_cast<std::int64_t>(n)}; };
  const auto* first = x.seen.objectives.empty() ? nullptr : &x.seen.objectives.front();
  object result;
  result.set("experiment", x.seen.experiment);
  result.set("directory", x.seen.directory);
  result.set("status", x.status);
  result.set("created", x.created);
  result.set("trials", count(known_trials(x.seen)));
  result.set("terminated", count(count_of(x.seen, trial_status::terminated)));
  result.set("errored", count(count_of(x.seen, trial_status::errored)));
  result.set("withdrawn", count(x.seen.withdrawn));
  result.set("reports", count(x.reports));
  result.set("elapsed_s", static_cast<double>(x.seen.elapsed.count()) / 1e9);
  result.set("metric", first == nullptr ? value{} : value{first->metric});
  result.set("mode", first != nullptr && first->maximise ? "max" : "min");
  result.set("best", best_value(x.seen));
  result.set("best_trial", x.seen.best ? value{to_text(x.seen.best->trial)} : value{});
  result.set("best_status", x.seen.best ? value{to_text(x.seen.best->status)} : value{});
  result.set("runs", has_runs(x) ? value{to_object(*x.seen.best->runs)} : value{});
  for (const char* name : {"user", "priority", "share", "place", "quota"}) {
    const auto* found = x.allocation.find(name);
    result.set(name, found == nullptr ? value{} : *found);
  }
  result.set("waits_for", x.waits_for.empty() ? value{} : value{x.waits_for});
  return result;
}

expected<void> list_experiments(const fs::path& storage, output_format format,
                                const table_look& look, std::ostream& out, std::ostream& talk) {
  std::error_code failed;
  if (!fs::is_directory(storage, failed))
    return error{ec::unreadable, printable(storage.string()) + ": no such directory"};
  std::vector<experiment_facts> all;
  for (const auto& directory : experiments_in(storage)) {
    auto facts = facts_of(directory);
    if (facts)
      all.push_back(std::move(*facts));
    else
      talk << program_name() << ": warning: " << printable(facts.error().detail) << '\n';
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& x, const auto& y) { return x.created_ms < y.created_ms; });
  if (format != output_format::table)
    write_for_programs(all, format, out);
  else if (all.empty())
    out << "none\n";
  else
    write_table(all, look, out);
  return {};
}

} // namespace tune::cli
