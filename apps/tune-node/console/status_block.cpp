// SPDX-License-Identifier: BSD-3-Clause
#include "console/status_block.hpp"

#include "console/human.hpp"
#include "console/later_failure.hpp"
#include "console/missed_constraint.hpp"
#include "console/text.hpp"
#include "console/text_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tune::cli {
namespace {

/// Joins as many parts as fit, at least the first; only the first may be shortened.
std::string joined(const std::vector<std::string>& parts, std::string_view between,
                   std::size_t width) {
  std::string result;
  for (const auto& x : parts) {
    if (result.empty())
      result = cut(x, width);
    else if (display_width(result) + display_width(between) + display_width(x) <= width)
      result.append(between).append(x);
  }
  return result;
}

std::string counts_line(const run_snapshot& x, std::size_t width, const style& look) {
  auto done = std::to_string(ended_trials(x));
  if (x.planned)
    done += "/" + std::to_string(*x.planned);
  auto name = cut(printable(x.experiment), std::max<std::size_t>(width / 3, 8));
  auto used = display_width(name) + 2;
  std::vector<std::string> parts{done + " done"};
  auto counts = count_texts(x);
  parts.insert(parts.end(), counts.begin(), counts.end());
  if (used >= width)
    return look.paint(tint::strong, cut(name, width));
  return look.paint(tint::strong, name) + "  " + joined(parts, ", ", width - used);
}

std::string time_line(const run_snapshot& x, std::size_t width) {
  std::vector<std::string> parts{duration_text(x.elapsed) + " elapsed"};
  if (auto left = time_left(x))
    parts.push_back("eta " + duration_text(*left));
  for (auto& resource : resource_texts(x))
    parts.push_back(std::move(resource));
  if (auto rate = trials_per_minute(x))
    parts.push_back(number_text(std::round(*rate * 10) / 10) + " trials/min");
  return joined(parts, ", ", width);
}

std::string best_line(const run_snapshot& x, std::size_t width, const style& look) {
  auto metric = x.objectives.empty() ? "objective" : printable(x.objectives.front().metric);
  if (!x.best)
    return look.paint(tint::faint, cut("no " + metric + " reported yet", width));
  auto runs = x.best->runs ? " (" + runs_text(*x.best->runs) + ")" : std::string{};
  auto head = cut("best " + metric + " " + short_text(best_value(x)) + runs, width);
  auto config = x.best->config ? config_text(*x.best->config, x.object_parameters) : std::string{};
  auto tail = cut("  trial " + to_text(x.best->trial) + std::string{later_failure(x.best->status)}
                      + std::string{missed_constraint(*x.best, x.constraints)} + "  " + config,
                  width - display_width(head));
  return look.paint(tint::good, head) + tail;
}

/// Sort value, larger is better; -infinity if there is no number to compare.
double rank_of(const listed_trial& x, bool maximise) {
  auto number = x.objectives.empty() ? std::nullopt : x.objectives.front().number();
  if (!number || std::isnan(*number))
    return -std::numeric_limits<double>::infinity();
  return maximise ? *number : -*number;
}

/// The `n` trials with the greatest `rank_of`.
std::vector<const listed_trial*> best_of(std::vector<const listed_trial*> rows, std::size_t n,
                                         bool maximise) {
  std::sort(rows.begin(), rows.end(), [maximise](const listed_trial* a, const listed_trial* b) {
    auto x = rank_of(*a, maximise);
    auto y = rank_of(*b, maximise);
    return x != y ? x > y : a->trial < b->trial;
  });
  rows.resize(std::min(n, rows.size()));
  return rows;
}

/// The running trials by number, then the best others. Others get at least a third of the rows.
std::vector<const listed_trial*> worth_showing(const run_snapshot& x, std::size_t rows) {
  bool maximise = x.objectives.empty() || x.objectives.front().maximise;
  std::vector<const listed_trial*> running;
  std::vector<const listed_trial*> others;
  for (const auto& trial : x.trials) {
    if (trial.status == trial_status::running)
      running.push_back(&trial);
    else if (trial.iterations > 0)
      others.push_back(&trial);
  }
  auto for_others = std::min(others.size(), rows / 3);
  running = best_of(std::move(running), rows - for_others, maximise);
  std::sort(running.begin(), running.end(),
            [](const listed_trial* a, const listed_trial* b) { return a->trial < b->trial; });
  others = best_of(std::move(others), rows - running.size(), maximise);
  running.insert(running.end(), others.begin(), others.end());
  return running;
}

tint tint_of(trial_status x) {
  switch (x) {
    case trial_status::errored:
      return tint::bad;
    case trial_status::paused:
      return tint::warning;
    case trial_status::terminated:
      return tint::faint;
    case trial_status::pending:
    case trial_status::running:
      break;
  }
  return tint::plain;
}

std::vector<std::string> trial_lines(const run_snapshot& x, std::size_t rows, std::size_t width,
                                     const style& look) {
  auto metric = x.objectives.empty() ? std::string{"objective"} : x.objectives.front().metric;
  text_table table{{{"trial"},
                    {"status", false, 1},
                    {"iter", true},
                    {metric, true, 2},
                    {"time", true, 3},
                    {"config", false, 4}}};
  for (const auto* trial : worth_showing(x, rows)) {
    auto objective = trial->objectives.empty() || trial->objectives.front().is_null()
                         ? "-"
                         : short_text(trial->objectives.front());
    table.add({to_text(trial->trial), std::string{to_text(trial->status)},
               std::to_string(trial->iterations), objective, duration_text(trial->age),
               trial->config ? config_text(*trial->config, x.object_parameters) : std::string{}},
              tint_of(trial->status));
  }
  return table.lines(width, look);
}

std::size_t number_of_variable(const char* name, std::size_t fallback) {
  const auto* text = std::getenv(name);
  std::size_t result = 0;
  if (text == nullptr)
    return fallback;
  auto [end, status] = std::from_chars(text, text + std::strlen(text), result);
  return status == std::errc{} && result > 0 ? result : fallback;
}

} // namespace

terminal_size size_of_terminal(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0)
    return {size.ws_col, size.ws_row};
  return {number_of_variable("COLUMNS", 80), number_of_variable("LINES", 24)};
}

std::vector<std::string> status_block(const run_snapshot& x, terminal_size size,
                                      const style& look) {
  constexpr std::size_t head = 3; // lines before the trials
  auto width = std::max<std::size_t>(size.columns, 1);
  auto height = std::min(std::max(size.rows / 2, head), std::max<std::size_t>(size.rows, 2) - 1);
  std::vector<std::string> result{counts_line(x, width, look), time_line(x, width),
                                  best_line(x, width, look)};
  if (!x.trials.empty() && height > head + 1) {
    auto trials = trial_lines(x, height - head - 1, width, look);
    if (trials.size() > 1)
      result.insert(result.end(), trials.begin(), trials.end());
  }
  result.resize(std::min(result.size(), height));
  return result;
}

} // namespace tune::cli
