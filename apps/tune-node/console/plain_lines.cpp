// SPDX-License-Identifier: BSD-3-Clause
#include "console/plain_lines.hpp"

#include "console/human.hpp"
#include "console/later_failure.hpp"
#include "console/missed_constraint.hpp"
#include "console/one_line.hpp"
#include "console/text.hpp"

#include <algorithm>
#include <cmath>

namespace tune::cli {
namespace {

/// Most columns of a line of a program's text; the record keeps it in full.
constexpr std::size_t longest_from_program = 500;

std::string metric_text(const objective& what, const value& x) {
  return printable(what.metric) + " " + short_text(x);
}

/// The last `n` non-blank lines of `text`, as a terminal would show them.
std::vector<std::string> last_lines(std::string_view text, std::size_t n) {
  std::vector<std::string> result;
  while (!text.empty() && result.size() < n) {
    while (text.ends_with('\n'))
      text.remove_suffix(1);
    auto begin = text.rfind('\n');
    begin = begin == text.npos ? 0 : begin + 1;
    if (auto line = settled_line(text.substr(begin)); line.find_first_not_of(' ') != line.npos)
      result.push_back(std::move(line));
    text = text.substr(0, begin);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

} // namespace

plain_lines::plain_lines(std::vector<objective> objectives, style look)
    : objectives_{std::move(objectives)}, look_{look} {}

std::string plain_lines::stamp(instant now) const {
  return look_.paint(tint::faint, "[" + duration_text(now) + "]") + " ";
}

std::string plain_lines::ended(const listed_trial& x, instant now) const {
  auto color = x.status == trial_status::errored ? tint::bad : tint::plain;
  auto result = stamp(now) + "trial " + to_text(x.trial) + " "
                + look_.paint(color, to_text(x.status)) + " at iteration "
                + std::to_string(x.iterations);
  std::string facts;
  for (std::size_t i = 0; i < std::min(objectives_.size(), x.objectives.size()); ++i)
    if (!x.objectives[i].is_null())
      facts += (facts.empty() ? "" : ", ") + metric_text(objectives_[i], x.objectives[i]);
  if (!x.reason.empty())
    facts += (facts.empty() ? "" : "; ") + in_one_line(x.reason);
  return facts.empty() ? result : result + ": " + facts;
}

std::optional<std::string> plain_lines::next_end(const listed_trial& x, instant now) {
  if (++ends_ <= most_ends)
    return ended(x, now);
  has_untold_ = true;
  if (ends_ > most_ends + 1)
    return std::nullopt;
  return stamp(now) + "more than " + std::to_string(most_ends)
         + " trials have ended: further ones are counted, and `trials` lists all";
}

std::optional<std::string> plain_lines::best(const best_row& x, instant now,
                                             std::span<const std::string> whole,
                                             const constraint_list& constraints) {
  if (last_best_ && now < *last_best_ + best_time)
    return std::nullopt;
  return last_best(x, now, whole, constraints);
}

std::optional<std::string> plain_lines::last_best(const best_row& x, instant now,
                                                  std::span<const std::string> whole,
                                                  const constraint_list& constraints) {
  if (objectives_.empty() || !x.metrics)
    return std::nullopt;
  const auto* own = find_path(*x.metrics, objectives_.front().metric);
  if (own == nullptr)
    return std::nullopt;
  // A best trial is shown again when a further run has changed its configuration's result.
  auto judged = x.runs ? value{x.runs->judged} : *own;
  const auto missed = missed_constraint(x, constraints);
  if (said_trial_ == x.trial && said_value_ == judged && said_missed_ == !missed.empty())
    return std::nullopt;
  last_best_ = now;
  said_trial_ = x.trial;
  said_value_ = std::move(judged);
  said_missed_ = !missed.empty();
  auto head = look_.paint(tint::good, "best " + metric_text(objectives_.front(), *own));
  auto config
      = x.config && !x.config->empty() ? ", " + config_text(*x.config, whole) : std::string{};
  if (x.runs)
    head += " (" + runs_text(*x.runs) + ")";
  return stamp(now) + head + ": trial " + to_text(x.trial) + std::string{missed} + config;
}

std::optional<std::string> plain_lines::summary(const run_snapshot& x, instant now) {
  const instant pace = has_untold_ ? instant{count_time} : instant{summary_time};
  if (last_summary_ && now < *last_summary_ + pace)
    return std::nullopt;
  last_summary_ = now;
  has_untold_ = false;
  auto result = stamp(now) + std::to_string(ended_trials(x));
  if (x.planned)
    result += "/" + std::to_string(*x.planned);
  result += " done";
  for (const auto& text : count_texts(x))
    result += ", " + text;
  if (x.best && !x.objectives.empty())
    result += "; best " + metric_text(x.objectives.front(), best_value(x)) + " (trial "
              + to_text(x.best->trial) + (x.best->runs ? "; " + runs_text(*x.best->runs) : "") + ")"
              + std::string{later_failure(x.best->status)}
              + std::string{missed_constraint(*x.best, x.constraints)};
  if (auto rate = trials_per_minute(x))
    result += "; " + number_text(std::round(*rate * 10) / 10) + " trials/min";
  if (auto left = time_left(x))
    result += "; eta " + duration_text(*left);
  return result;
}

std::vector<std::string> failure_block(const failure_note& x, std::size_t lines, std::size_t width,
                                       const style& look) {
  auto fit = [width](const std::string& text) { return width == 0 ? text : cut(text, width); };
  auto head = "trial " + to_text(x.trial) + " failed";
  if (!x.what.empty())
    head += ": " + cut(printable(x.what), longest_from_program);
  if (!x.next.empty())
    head += " (" + printable(x.next) + ")";
  std::vector<std::string> result{look.paint(tint::bad, fit(std::move(head)))};
  for (const auto& line : last_lines(x.error_output, lines))
    result.push_back(look.paint(tint::faint, fit("  | " + cut(line, longest_from_program))));
  if (!x.more.empty())
    result.push_back(look.paint(tint::faint, "  all of it: " + printable(x.more)));
  return result;
}

} // namespace tune::cli
