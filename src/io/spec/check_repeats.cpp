// SPDX-License-Identifier: BSD-3-Clause
#include "loading.hpp"

#include "tune/core/search/none/none.hpp"
#include "tune/io/spec/convert.hpp"

#include <algorithm>
#include <array>

namespace tune {

namespace {

/// Schedulers that change a trial's configuration, so that its runs would not belong to a single
/// one.
constexpr std::array<std::string_view, 3> reconfiguring{"pbt", "pb2", "pbt_replay"};

/// Section and name of the key that makes configurations run several times.
const char* cause_section(const repeat_rule& rule) {
  return rule.runs > 1 ? "search" : "experiment";
}
const char* cause_key(const repeat_rule& rule) {
  return rule.runs > 1 ? "repeat" : "confirm";
}
std::string cause_text(const repeat_rule& rule) {
  return std::string{cause_key(rule)} + " = "
         + std::to_string(rule.runs > 1 ? rule.runs : rule.confirm) + ": ";
}

/// Whether the command or a variable names the parameter in a placeholder.
bool is_passed(const spec& x, const std::string& name) {
  const auto placeholder = '{' + name + '}';
  auto has = [&](const std::string& text) { return text.find(placeholder) != text.npos; };
  auto any = [&](const std::vector<named_text>& lines) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const named_text& line) { return has(line.text); });
  };
  return has(x.trainable.command) || any(x.trainable.env);
}

/// Warns of a run number that the program would never see, since it gets all other parameters from
/// its command line.
void warn_of_unread_number(loading& x, const repeat_rule& rule) {
  const auto& from = x.what.trainable;
  auto passes_others = std::any_of(x.what.space.begin(), x.what.space.end(),
                                   [&](const auto& each) { return is_passed(x.what, each.name); });
  if (from.command.empty() || !from.templates.empty() || !passes_others
      || is_passed(x.what, rule.parameter))
    return;
  x.warn(x.origin(cause_section(rule), cause_key(rule)),
         "[" + std::string{cause_section(rule)} + "] " + cause_key(rule) + ": no {" + rule.parameter
             + "} in command or env.: unless the program reads " + rule.parameter
             + " from its configuration, or draws at random by itself, all runs are alike");
}

/// Checks that no condition uses the number of a run. @returns whether none does.
bool check_conditions(loading& x, const repeat_rule& rule) {
  std::vector<parameter_text> lines;
  for (const auto& each : x.what.space)
    lines.push_back({each.name, each.text});
  auto with = space_lines(x.what);
  if (search_space::parse(lines) || !search_space::parse(with))
    return true;
  auto parsed = search_space::parse(lines);
  x.refuse("space", leading_name(parsed.error().detail),
           parsed.error().detail + "; " + rule.parameter
               + " is the number of the run, on which no condition may rest");
  return false;
}

} // namespace

bool check_repeats(loading& x) {
  const auto rule = repeat_rule_of(x.what);
  if (!rule.is_on())
    return true;
  const auto* section = cause_section(rule);
  const auto* key = cause_key(rule);
  if (x.what.experiment.objectives.size() > 1)
    x.refuse(section, key,
             cause_text(rule) + "the runs of a configuration are judged by one metric, not "
                 + std::to_string(x.what.experiment.objectives.size()));
  auto type = x.what.scheduler.type;
  if (std::find(reconfiguring.begin(), reconfiguring.end(), type) != reconfiguring.end())
    x.refuse(section, key,
             cause_text(rule) + "[scheduler] type = " + type
                 + " changes the configurations of trials, of which then no two are runs of one");
  auto same = std::find_if(x.what.space.begin(), x.what.space.end(),
                           [&](const auto& each) { return each.name == rule.parameter; });
  if (same != x.what.space.end()) {
    x.refuse("space", same->name,
             "\"" + same->name + "\": " + key
                 + " gives the number of a run this name: leave it out of [space], or choose "
                   "another by [search] repeat_parameter");
    return false;
  }
  if (rule.confirm > 0 && !has_value(rule.judge, rule.confirm_runs))
    x.refuse("experiment", "confirm_runs",
             "confirm_runs = " + std::to_string(rule.confirm_runs)
                 + ": [search] repeat_judge = lower_bound needs at least 2, since a single run has "
                   "no bound");
  warn_of_unread_number(x, rule);
  return check_conditions(x, rule);
}

void check_repeats_with(loading& x, const searcher_traits& source) {
  const auto rule = repeat_rule_of(x.what);
  if (rule.confirm == 0)
    return;
  const auto text = "confirm = " + std::to_string(rule.confirm) + ": ";
  if (no_search::is_idle(source))
    x.refuse("experiment", "confirm",
             text + "[search] type = none never ends, and so nothing is ever confirmed");
  else if (x.what.experiment.num_samples == 0)
    x.refuse("experiment", "confirm",
             text + "with num_samples = 0 the search never ends, and so nothing is ever confirmed");
}

} // namespace tune
